import { describe, expect, it } from 'vitest';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld } from '../../test/support/lane-samples.ts';
import { AssetCache } from './asset-cache.ts';
import type { AssetEntry } from './asset-entry.ts';

const config = sampleConfig([sampleChannel('docs')]);

function entry(key: string, held: boolean): AssetEntry {
  const made = { ...sampleEntry([sampleHeld(1, {}, config)], config), key };
  if (!held) {
    made.held.clear();
    made.finished.clear();
  }
  return made;
}

describe('AssetCache', () => {
  it('P3 drops nothing before it is told to, then the least recently used that nothing depends on', () => {
    const probe = new AssetCache(0);
    probe.add(entry('probe', false));
    const room = Math.floor(probe.bytes * 2.5);
    const cache = new AssetCache(room);
    const [a, b, c, busy] = [entry('a', false), entry('b', false), entry('c', false), entry('busy', true)];
    for (const one of [busy, a, b, c]) cache.add(one);
    expect(cache.size).toBe(4);
    expect(cache.bytes).toBeGreaterThan(room);
    cache.get('a');
    cache.evict();
    expect(cache.bytes).toBeLessThanOrEqual(room);
    expect(['a', 'b', 'c', 'busy'].filter((key) => cache.has(key))).toEqual(['a', 'busy']);
  });

  it('keeps what is held, recorded or read, however little room there is', () => {
    const cache = new AssetCache(1);
    const recording = entry('recording', false);
    recording.phase = 'recording';
    const reading = entry('reading', false);
    reading.phase = 'reading';
    const noted = entry('noted', false);
    noted.superseded.push({ sequence: 1, eventId: 'e', object: '', by: 'duplicate' });
    for (const one of [recording, reading, noted, entry('held', true)]) cache.add(one);
    cache.evict();
    expect(cache.size).toBe(4);
    recording.phase = 'idle';
    cache.evict();
    expect(cache.has('recording')).toBe(false);
  });
});

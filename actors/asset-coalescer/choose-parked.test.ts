import { describe, expect, it } from 'vitest';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld, T0 } from '../../test/support/lane-samples.ts';
import type { AssetEntry } from './asset-entry.ts';
import { changesToPark } from './choose-parked.ts';

const config = sampleConfig([sampleChannel('docs')]);
const HALF = { messages: 3, bytes: 1_000_000 };

/** An asset that holds these changes and waits until a time. */
function waiting(until: number, sequences: readonly number[]): AssetEntry {
  const changes = sequences.map((sequence) => sampleHeld(sequence, { time: T0 + sequence }, config));
  return Object.assign(sampleEntry(changes, config), { notBefore: T0 + until });
}

const chosen = (entries: readonly AssetEntry[], half = HALF, retried: readonly AssetEntry[] = []) =>
  changesToPark(entries, retried, T0, half).map(({ entry, sequences }) => [entries.indexOf(entry), sequences]);

describe('changesToPark', () => {
  it('leaves half of the credits to those that wait, and parks those that have longest to wait', () => {
    const entries = [waiting(100, [1, 2]), waiting(300, [3]), waiting(200, [4, 5])];
    expect(chosen(entries.slice(0, 2))).toEqual([]);
    expect(chosen(entries)).toEqual([
      [1, [3]],
      [2, [4, 5]],
    ]);
  });

  it('counts only what waits, and what is not parked yet', () => {
    const at = waiting(0, [1, 2, 3, 4]);
    const busy = Object.assign(waiting(100, [5, 6, 7, 8]), { phase: 'dispatched' } as const);
    const stored = waiting(100, [9, 10, 11, 12]);
    for (const sequence of stored.held.keys()) stored.parked.set(sequence, 100);
    expect(chosen([at, busy, stored])).toEqual([]);
  });

  it('counts what is being tried once more, which stays where it is', () => {
    const again = Object.assign(waiting(100, [5, 6]), { phase: 'dispatched' } as const);
    const entries = [waiting(300, [1, 2])];
    expect(chosen(entries, HALF, entries)).toEqual([]);
    expect(chosen(entries, HALF, [...entries, again])).toEqual([[0, [1, 2]]]);
  });

  it('counts bytes as well', () => {
    const entry = waiting(100, [1, 2]);
    const bytes = [...entry.held.values()].reduce((sum, held) => sum + held.bytes, 0);
    expect(bytes).toBeGreaterThan(1_000);
    expect(chosen([entry], { messages: 100, bytes })).toEqual([]);
    expect(chosen([entry], { messages: 100, bytes: bytes - 1 })).toEqual([[0, [1]]]);
  });

  it('parks of one asset no more than can be loaded at once: the oldest', () => {
    const entry = waiting(100, [5, 4, 3, 2, 1]);
    expect(chosen([entry])).toEqual([[0, [1, 2, 3]]]);
    entry.parked.set(1, 100).set(99, 100);
    expect(chosen([entry])).toEqual([[0, [2]]]);
    entry.parked.set(2, 100);
    expect(chosen([entry])).toEqual([]);
  });
});

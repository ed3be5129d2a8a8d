import { describe, expect, it } from 'vitest';
import { type ChannelHolds, NO_HOLDS } from '../../src/channels/channel-holds.ts';
import {
  IDENTITY,
  type SampleEvent,
  sampleChannel,
  sampleConfig,
  sampleEntry,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import type { FieldResult } from '../lane/asset-work.ts';
import { admitChange } from './admit-change.ts';
import type { AssetEntry } from './asset-entry.ts';
import { closeRound } from './close-work.ts';
import { countHeld, lookAgain, withoutHeld } from './held-fields.ts';
import { takeWork } from './take-work.ts';

const config = sampleConfig([sampleChannel('docs', { guard: { clears: 0, perMs: 1_000 } })]);
const HOLDING: ChannelHolds = { paused: new Set(), guarded: new Map([['docs', 0]]) };
const PAUSED: ChannelHolds = { paused: new Set(['docs']), guarded: new Map() };
const NOW = T0 + 10_000;

const EMPTIED: SampleEvent = {
  time: T0 + 1_000,
  changes: [['description', 'old', undefined]],
  entity: { description: undefined },
};
const OWNED: SampleEvent = {
  ...EMPTIED,
  changes: [
    ['description', 'old', undefined],
    ['owners', undefined, JSON.stringify([{ id: 'u', type: 'user', name: 'ana' }])],
  ],
  entity: { description: undefined, owners: [{ id: 'u', type: 'user', name: 'ana' }] },
};

/** What of the asset would be given out. */
function given(entry: AssetEntry, holds: ChannelHolds, now = NOW) {
  const work = takeWork(entry, TARGET, config);
  return { ...work, fields: withoutHeld(entry, work.fields, holds, now) };
}

function close(entry: AssetEntry, holds: ChannelHolds, status: FieldResult['status'] = 'applied') {
  const work = given(entry, holds);
  const results = work.fields
    .filter(({ write }) => write !== undefined)
    .map(({ open }): FieldResult => ({ key: open.key, status, statements: [], notes: [], attempts: 1 }));
  return closeRound(entry, work, results, {
    identity: IDENTITY,
    configRevision: 1,
    now: NOW,
    random: () => 0.5,
    ackFloor: 0,
  });
}

const keys = (fields: readonly { readonly open: { readonly key: string } }[]) => fields.map(({ open }) => open.key);

describe('fields that wait for a person', () => {
  it('only what clears waits; the other fields of the asset are given out', () => {
    const entry = sampleEntry([sampleHeld(1, OWNED, config)], config);
    expect(keys(given(entry, HOLDING).fields)).toEqual(['owners']);
    expect([...entry.holds]).toMatchObject([
      ['description', { channel: 'docs', why: 'guard', sequence: 1, since: NOW }],
    ]);
    expect(keys(given(entry, PAUSED).fields)).toEqual([]);
    expect(keys(given(entry, NO_HOLDS).fields).sort()).toEqual(['description', 'owners']);
    expect(entry.holds.size).toBe(0);
  });

  it('what was released, and what clears nothing, is given out', () => {
    const released: ChannelHolds = { ...HOLDING, guarded: new Map([['docs', 5]]) };
    const entry = sampleEntry([sampleHeld(5, EMPTIED, config)], config);
    expect(keys(given(entry, released).fields)).toEqual(['description']);
    const later = sampleEntry([sampleHeld(6, EMPTIED, config)], config);
    expect(given(later, released).fields).toEqual([]);
    expect(keys(given(sampleEntry([sampleHeld(6, {}, config)], config), released).fields)).toEqual(['description']);
  });

  it('its sequence stays open, and the asset waits like one in a retry until something comes for it', () => {
    const entry = sampleEntry([sampleHeld(1, OWNED, config)], config);
    const { message } = close(entry, HOLDING);
    expect([message?.items.length, message?.settles]).toEqual([1, []]);
    expect(entry.awaitsRelease).toBe(true);
    expect(entry.notBefore).toBeGreaterThan(NOW + 60_000);
    admitChange(entry, sampleHeld(2, { time: T0 + 2_000 }, config), TARGET, config, NOW);
    lookAgain(entry);
    expect([entry.notBefore, entry.awaitsRelease]).toEqual([0, false]);
    const next = close(entry, HOLDING);
    expect(next.message?.items).toMatchObject([{ sequence: 2, status: 'applied', aspect: 'description' }]);
    expect(next.message?.superseded).toMatchObject([{ sequence: 1, by: 'e2' }]);
    expect([next.message?.settles, entry.notBefore]).toEqual([[1, 2], 0]);
  });

  it('a clear that its guard refused after the read is not recorded, and counts as held from then on', () => {
    const entry = sampleEntry([sampleHeld(1, EMPTIED, config)], config);
    expect(close(entry, NO_HOLDS, 'held').message).toBeUndefined();
    expect(entry.awaitsRelease).toBe(true);
    expect(countHeld([entry])).toEqual([{ channel: 'docs', why: 'guard', fields: 1, since: NOW }]);
    lookAgain(entry);
    expect(close(entry, NO_HOLDS).message?.settles).toEqual([1]);
    expect(countHeld([entry])).toEqual([]);
  });

  it('a retry of another field is not put off by what is held', () => {
    const entry = sampleEntry([sampleHeld(1, OWNED, config)], config);
    close(entry, HOLDING, 'retry');
    expect(entry.awaitsRelease).toBe(false);
    expect(entry.notBefore).toBeLessThan(NOW + 1_000);
  });

  it('says how long it has been waiting, and sums up by channel and reason', () => {
    const entry = sampleEntry([sampleHeld(1, OWNED, config)], config);
    given(entry, PAUSED, NOW);
    given(entry, PAUSED, NOW + 5_000);
    expect(countHeld([entry])).toEqual([{ channel: 'docs', why: 'paused', fields: 2, since: NOW }]);
  });
});

import { describe, expect, it } from 'vitest';
import { createLedger } from './asset-ledger.ts';
import { ASSET, described, field, reborn, settleAll, T, tagged } from './ledger-samples.ts';
import { valueHash } from './value-hash.ts';

describe('settled ranks', () => {
  it('supersede what is older, and say by whom', () => {
    const ledger = createLedger(ASSET, undefined);
    const newer = described(1, 20, 'newer');
    ledger.admit(newer, 0);
    settleAll(ledger);
    const next = reborn(ledger);
    next.admit(described(2, 10, 'older'), 0);
    expect(field(next, 'description')).toMatchObject({
      stale: true,
      settledBy: newer.event.id,
      doubts: ['rank-not-above-settled'],
      mayClear: false,
    });
    next.admit(described(3, 30, 'newest'), 0);
    expect(field(next, 'description').stale).toBe(false);
  });

  it('never go down', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 20, 'newer'), 0);
    settleAll(ledger);
    const before = ledger.settled('description');
    ledger.admit(described(2, 10, 'older'), 0);
    settleAll(ledger);
    expect(ledger.settled('description')).toEqual(before);
    expect(before?.hash).toBe(valueHash('newer'));
  });

  it('keep the value through a copy of the change that settled them, which tells none', () => {
    const ledger = createLedger(ASSET, undefined);
    const first = described(1, 20, 'told');
    ledger.admit(first, 0);
    settleAll(ledger);
    // The owner before has recorded a part of the change only, so that its copy is not known for one.
    const next = createLedger(ASSET, { ...ledger.toSyncState(), recent: [] });
    next.admit({ ...first, sequence: 2 }, 0);
    const { winner, key, stale } = field(next, 'description');
    expect(stale).toBe(true);
    next.settle([winner], [{ key, rank: winner.rank }]);
    expect(next.settled('description')?.hash).toBe(valueHash('told'));
  });

  it('move up with every decided touch, also without a settlement', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 20, 'skipped'), 0);
    ledger.settle(
      ledger.open().map(({ winner }) => winner),
      [],
    );
    expect(ledger.settled('description')).toMatchObject({ rank: { time: T + 20 }, hash: valueHash('skipped') });
  });

  it('keep what was applied to the source, through settlements that know nothing of it', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 10, ['A.x'], { added: 'A.x' }), 0);
    const { winner, key } = field(ledger, 'tags');
    ledger.settle([winner], [{ key, rank: winner.rank, tags: ['A=x'], written: 'w' }]);
    ledger.admit(tagged(2, 20, ['A.x', 'B.y'], { added: 'B.y' }), 0);
    settleAll(ledger);
    expect(reborn(ledger).settled('tags')).toMatchObject({ rank: { time: T + 20 }, tags: ['A=x'], written: 'w' });
  });

  it('compare versions only within one entity id', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 10, 'high version', { currentVersion: 7.5, previousVersion: 7.4 }), 0);
    settleAll(ledger);
    ledger.admit(described(2, 10, 'low version', { currentVersion: 0.3, previousVersion: 0.2 }), 0);
    expect(field(ledger, 'description').stale).toBe(true);
    ledger.admit(
      described(3, 10, 'another entity', { entityId: 't2', id: 'zzz', currentVersion: 0.1, previousVersion: 0.1 }),
      0,
    );
    expect(field(ledger, 'description').stale).toBe(false);
  });
});

describe('duplicates', () => {
  it('are known by their event id, held, settled or after a restart', () => {
    const ledger = createLedger(ASSET, undefined);
    const one = described(1, 10, 'text');
    ledger.admit(one, 0);
    expect(ledger.admit({ ...one, sequence: 2 }, 0)).toMatchObject({
      kind: 'duplicate',
      by: 'duplicate',
      touches: [{ key: 'description' }],
    });
    settleAll(ledger);
    expect(reborn(ledger).admit({ ...one, sequence: 3 }, 0).kind).toBe('duplicate');
    expect(ledger.open()).toEqual([]);
  });

  it('do not count as such while the first is undecided and the lane was lost', () => {
    const ledger = createLedger(ASSET, undefined);
    const open = described(1, 10, 'undecided');
    ledger.admit(open, 0);
    ledger.admit(tagged(2, 20, ['A.x'], { added: 'A.x' }), 0);
    const tags = field(ledger, 'tags');
    ledger.settle([tags.winner], []);
    expect(reborn(ledger).admit(open, 0).kind).toBe('admitted');
  });

  it('a replay compares as what it replays: only another, newer change supersedes it', () => {
    const ledger = createLedger(ASSET, undefined);
    const failed = described(1, 10, 'failed');
    ledger.admit(failed, 0);
    settleAll(ledger);
    ledger.markSettled(1);
    const replay = { ...failed, sequence: 2, replayOf: failed.event.id };
    const next = reborn(ledger);
    expect(next.admit(replay, 0).kind).toBe('admitted');
    expect(field(next, 'description')).toMatchObject({ stale: false, doubts: [] });
    const later = reborn(ledger);
    later.admit(described(3, 30, 'newer'), 0);
    settleAll(later);
    later.admit(replay, 0);
    expect(field(later, 'description').stale).toBe(true);
  });
});

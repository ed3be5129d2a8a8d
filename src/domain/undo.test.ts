import { describe, expect, it } from 'vitest';
import { createLedger } from './asset-ledger.ts';
import type { FieldChange } from './change-event.ts';
import { ASSET, change, described, field, reborn, settleAll, T, tag, tagged } from './ledger-samples.ts';
import { fieldValueHash } from './value-hash.ts';

describe('undo', () => {
  const back = { currentVersion: 0.2, previousVersion: 0.3 } as const;
  const forth = { currentVersion: 0.3, previousVersion: 0.2 } as const;

  it('ranks by its true time where the server tells it', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 50, 'edit', forth), 0);
    ledger.admit(described(2, 10, 'before', { ...back, changedAt: new Map([['description', T + 60]]) }), 0);
    expect(field(ledger, 'description')).toMatchObject({
      winner: { sequence: 2, rank: { time: T + 60 } },
      doubts: ['undo'],
      mayClear: false,
    });
    expect(ledger.value({ aspect: 'description' })).toMatchObject({ text: 'before' });
  });

  it('ranks just above the change that it takes back, wherever that is known from', () => {
    const edit = tagged(1, 50, ['A.x'], { added: 'A.x' }, forth);
    const undo = tagged(2, 10, [], { removed: 'A.x' }, back);
    const together = createLedger(ASSET, undefined);
    together.admit(edit, 0);
    const first = createLedger(ASSET, undefined);
    first.admit(edit, 0);
    settleAll(first);
    for (const ledger of [together, reborn(first)]) {
      ledger.admit(undo, 0);
      const { winner, removedTags } = field(ledger, 'tags');
      expect(winner.sequence).toBe(2);
      expect(winner.rank.time).toBeGreaterThan(T + 50);
      expect(winner.rank.time).toBeLessThan(T + 51);
      expect(removedTags.map(({ tagFQN }) => tagFQN)).toEqual(['A.x']);
    }
  });

  it('waits for that change, at most five seconds, then ranks by its time in the stream', () => {
    const ledger = createLedger(ASSET, undefined);
    const undo = tagged(2, 10, [], { removed: 'A.x' }, back);
    expect(ledger.admit(undo, 1_000)).toEqual({ kind: 'waiting', until: 6_000 });
    expect(ledger.isOpen(2)).toBe(true);
    expect(ledger.admit(undo, 5_999)).toEqual({ kind: 'waiting', until: 6_000 });
    expect(ledger.waiting()).toEqual([{ change: undo, until: 6_000 }]);
    expect(ledger.admit({ ...undo, streamTime: T + 9_000 }, 6_000)).toMatchObject({
      kind: 'admitted',
      touches: [{ rank: { time: T + 4_000 } }],
    });
    expect(ledger.waiting()).toEqual([]);
  });

  it('ranks above what is settled of its change, when an owner before recorded only some of that', () => {
    const first = createLedger(ASSET, undefined);
    // Its description has to be tried again, so the change counts as open and is not told on.
    const both: readonly FieldChange[] = [
      { kind: 'added', name: 'tags', newValue: [{ ...tag('A.x') }] },
      { kind: 'added', name: 'description', newValue: 'text' },
    ];
    first.admit(change(1, 50, both, { description: 'text', tags: [tag('A.x')] }, forth), 0);
    const { winner } = field(first, 'tags');
    const hash = fieldValueHash(first.value({ aspect: 'tags' }));
    first.settle([winner], [{ key: 'tags', rank: winner.rank, ...(hash === undefined ? {} : { hash }) }]);
    const next = reborn(first);
    const undo = tagged(2, -60_000, [], { removed: 'A.x' }, back);
    expect(next.admit(undo, 0).kind).toBe('waiting');
    next.admit({ ...undo, streamTime: T + 60 }, 5_000);
    expect(field(next, 'tags')).toMatchObject({ stale: false, winner: { sequence: 2, rank: { version: 0.2 } } });
  });

  it('takes a change back once: the second of two equal undos waits for its own', () => {
    const ledger = createLedger(ASSET, undefined);
    const on = (sequence: number, at: number) => tagged(sequence, at, ['A.x'], { added: 'A.x' }, forth);
    const off = (sequence: number) => tagged(sequence, 10, [], { removed: 'A.x' }, back);
    ledger.admit(on(1, 50), 0);
    expect(ledger.admit(off(2), 0).kind).toBe('admitted');
    const second = off(3);
    expect(ledger.admit(second, 0).kind).toBe('waiting');
    ledger.admit(on(4, 80), 0);
    ledger.admit(second, 0);
    expect(field(ledger, 'tags').winner.sequence).toBe(3);
  });

  it('is not taken for the undo of a change that touched other fields: that one may have followed it', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 50, ['A.x'], { added: 'A.x' }, forth), 0);
    const gone: readonly FieldChange[] = [{ kind: 'deleted', name: 'description', oldValue: 'text' }];
    const undo = change(2, -60_000, gone, { tags: [] }, back);
    expect(ledger.admit(undo, 0).kind).toBe('waiting');
    ledger.admit({ ...undo, streamTime: T + 100 }, 5_000);
    expect(ledger.value({ aspect: 'tags' })).toMatchObject({ tags: [tag('A.x')] });
  });

  it('moves to the change that it really took back when that comes late', () => {
    const ledger = createLedger(ASSET, undefined);
    const on = (sequence: number, at: number) => tagged(sequence, at, ['A.x'], { added: 'A.x' }, forth);
    ledger.admit(on(1, 80), 0);
    ledger.admit(tagged(2, 10, [], { removed: 'A.x' }, back), 0);
    expect(field(ledger, 'tags').winner.sequence).toBe(2);
    ledger.admit(on(3, 50), 0);
    expect(field(ledger, 'tags').winner.sequence).toBe(1);
    expect(ledger.value({ aspect: 'tags' })).toMatchObject({ tags: [tag('A.x')] });
  });
});

describe('a vote between an edit and its undo', () => {
  const vote = (sequence: number, at: number) =>
    change(
      sequence,
      at,
      [{ kind: 'updated', name: 'votes', newValue: 'votedUp' }],
      { description: 'edited' },
      { currentVersion: 0.3, previousVersion: 0.3 },
    );

  const edit: readonly FieldChange[] = [{ kind: 'added', name: 'description', newValue: 'edited' }];
  const undo: readonly FieldChange[] = [{ kind: 'deleted', name: 'description', oldValue: 'edited' }];

  it.each([true, false])('does not hide the undo, coming before it: %s', (before) => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(change(1, 50, edit, { description: 'edited' }, { currentVersion: 0.3, previousVersion: 0.2 }), 0);
    if (before) ledger.admit(vote(2, 90), 0);
    ledger.admit(change(3, 10, undo, {}, { currentVersion: 0.2, previousVersion: 0.3 }), 0);
    if (!before) ledger.admit(vote(2, 90), 0);
    expect(field(ledger, 'description').winner.sequence).toBe(3);
    expect(ledger.value({ aspect: 'description' })).toMatchObject({ known: true, text: undefined });
  });

  it('does not lift the undo above it when it shows another content of the same version: that was entered again', () => {
    const ledger = createLedger(ASSET, undefined);
    const first: readonly FieldChange[] = [{ kind: 'added', name: 'description', newValue: 'first' }];
    const back: readonly FieldChange[] = [{ kind: 'deleted', name: 'description', oldValue: 'first' }];
    const forth = { currentVersion: 0.3, previousVersion: 0.2 };
    ledger.admit(change(1, 50, first, { description: 'first' }, forth), 0);
    ledger.admit(vote(2, 90), 0);
    ledger.admit(change(3, 10, back, {}, { currentVersion: 0.2, previousVersion: 0.3 }), 0);
    const again: readonly FieldChange[] = [{ kind: 'added', name: 'description', newValue: 'edited' }];
    ledger.admit(change(4, 80, again, { description: 'edited' }, forth), 0);
    // The vote shows the text of that one, and ranks above it.
    expect(field(ledger, 'description').winner.sequence).toBe(2);
    expect(ledger.value({ aspect: 'description' })).toMatchObject({ known: true, text: 'edited' });
  });

  it('that was settled by an owner before still ranks below the undo, also where the edit comes after it', () => {
    const first = createLedger(ASSET, undefined);
    const forth = { currentVersion: 0.3, previousVersion: 0.2 };
    first.admit(described(1, 10, 'old', { currentVersion: 0.2, previousVersion: 0.1 }), 0);
    settleAll(first);
    // The vote shows the edit, which has not come yet, and its text is settled with the vote's rank.
    first.admit(vote(2, 90), 0);
    settleAll(first);
    const ledger = reborn(first);
    ledger.admit(change(3, 50, edit, { description: 'edited' }, forth), 0);
    settleAll(ledger);
    ledger.admit(change(4, 10, undo, {}, { currentVersion: 0.2, previousVersion: 0.3 }), 0);
    expect(field(ledger, 'description')).toMatchObject({ stale: false });
    expect(field(ledger, 'description').winner.rank.time).toBeGreaterThan(T + 90);
  });
});

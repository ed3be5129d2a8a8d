import { describe, expect, it } from 'vitest';
import { createLedger } from './asset-ledger.ts';
import { ASSET, change, column, described, field, reborn, settleAll, snapshot, T, tagged } from './ledger-samples.ts';

describe('coalescing', () => {
  it('lets the newest change win, whatever the order of arrival', () => {
    const ledger = createLedger(ASSET, undefined);
    const newer = described(1, 20, 'newer');
    const older = described(2, 10, 'older');
    ledger.admit(newer, 0);
    ledger.admit(older, 0);
    const open = field(ledger, 'description');
    expect([open.winner.eventId, open.losers.map(({ eventId }) => eventId)]).toEqual([
      newer.event.id,
      [older.event.id],
    ]);
    expect(ledger.value({ aspect: 'description' })).toMatchObject({ known: true, text: 'newer' });
    expect(open).toMatchObject({ stale: false, doubts: [], mayClear: true });
  });

  it('may clear what the newest change cleared, also when an older change comes too late beside it', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 20, 'text'), 0);
    settleAll(ledger);
    ledger.admit(described(2, 10, 'older'), 0);
    ledger.admit(change(3, 30, [{ kind: 'deleted', name: 'description', oldValue: 'text' }], {}), 0);
    const open = field(ledger, 'description');
    expect([open.winner.sequence, open.stale, open.doubts]).toEqual([3, false, ['rank-not-above-settled']]);
    expect(ledger.value({ aspect: 'description' })).toMatchObject({ known: true, text: undefined });
    expect(open.mayClear).toBe(true);
  });

  it('is closed once all touches are, and a held sequence only replaces its handle', () => {
    const ledger = createLedger(ASSET, undefined);
    const one = described(1, 10, 'text');
    expect(ledger.admit(one, 0).kind).toBe('admitted');
    expect(ledger.admit(one, 0).kind).toBe('held');
    expect(ledger.isOpen(1)).toBe(true);
    settleAll(ledger);
    expect(ledger.isOpen(1)).toBe(false);
    ledger.markSettled(1);
    expect(ledger.admit(one, 0).kind).toBe('settled');
    expect(reborn(ledger).admit(one, 0).kind).toBe('settled');
    ledger.ackedUpTo(0);
    expect(ledger.toSyncState().settled).toEqual([1]);
  });

  it('a settled sequence whose ack is proven is known by where it lies, except in a stream made anew, or as a parked copy', () => {
    const ledger = createLedger(ASSET, undefined);
    for (const sequence of [3, 5, 9]) {
      ledger.admit(described(sequence, sequence, `text ${sequence}`), 0);
      settleAll(ledger);
      ledger.markSettled(sequence);
    }
    ledger.ackedUpTo(7);
    const { settled, settledUpTo } = ledger.toSyncState();
    expect(settled).toEqual([9]);
    expect(settledUpTo?.sequence).toBe(5);
    const next = reborn(ledger);
    const again = described(3, 3, 'text 3');
    expect(next.admit(again, 0).kind).toBe('settled');
    expect(next.admit({ ...again, streamTime: (settledUpTo?.time ?? 0) + 1 }, 0).kind).not.toBe('settled');
    expect(reborn(ledger).admit({ ...again, parked: true }, 0).kind).not.toBe('settled');
    expect(reborn(ledger).admit(described(7, 7, 'late'), 0).kind).not.toBe('settled');
  });

  it('closing what was recorded before says nothing of a newer state seen since: that one still differs', () => {
    const ledger = createLedger(ASSET, undefined);
    const both = change(
      1,
      10,
      [
        { kind: 'updated', name: 'description', oldValue: 'old', newValue: 'told' },
        { kind: 'updated', name: 'owners', newValue: [] },
      ],
      { description: 'told', tags: [], owners: [] },
    );
    ledger.admit(both, 0);
    const described = field(ledger, 'description').winner;
    ledger.settle([described], [{ key: 'description', rank: described.rank, hash: 'of the told text', written: 'w' }]);
    const next = reborn(ledger);
    next.refresh(snapshot({ description: 'came in silence', tags: [] }), T + 50);
    next.admit(both, 0);
    next.settle([field(next, 'description').winner], []);
    expect(next.settled('description')?.hash).toBe('of the told text');
    next.admit(change(2, 60, [], { description: 'came in silence', tags: [] }), 0);
    expect(field(next, 'description').winner).toMatchObject({ sequence: 2, reason: 'differs' });
  });

  it.each([
    ['of an ignored user brings nothing into the source: a text edited in silence is touched', true, ['differs']],
    ['of anybody else will be decided from what is at hand', false, []],
  ])('a change below the settled one %s', (_, ignored, reasons) => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 20, 'known'), 0);
    settleAll(ledger);
    const late = described(2, 10, 'older');
    ledger.admit(ignored ? { ...late, ignored } : late, 0);
    // The catalogue is asked for the late change, and shows a text that no event has announced.
    ledger.refresh(snapshot({ description: 'in silence' }), T + 50);
    const vote = [{ kind: 'updated', name: 'votes', newValue: 'votedUp' }] as const;
    const admitted = ledger.admit(change(3, 30, vote, { description: 'in silence' }), 0);
    expect('touches' in admitted && admitted.touches.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('ignores what can never be written', () => {
    const ledger = createLedger(ASSET, undefined);
    const admitted = ledger.admit(change(1, 10, [{ kind: 'updated', name: 'votes', newValue: 'votedUp' }], {}), 0);
    expect(admitted).toEqual({ kind: 'admitted', touches: [] });
    expect(ledger.isOpen(1)).toBe(false);
  });
});

describe('columns', () => {
  it('an added one touches what it carries, a removed one leaves nothing to write', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(
      change(1, 10, [{ kind: 'added', name: 'columns.gone.description', newValue: 'text' }], {
        columns: [column('gone', { description: 'text' })],
      }),
      0,
    );
    const added = [
      { name: 'here', dataType: 'INT', description: 'from source' },
      { name: 'bare', dataType: 'INT' },
    ];
    const removed = [{ name: 'gone', dataType: 'INT', description: 'text' }];
    ledger.admit(
      change(
        2,
        20,
        [
          { kind: 'added', name: 'columns', newValue: added },
          { kind: 'deleted', name: 'columns', oldValue: removed },
        ],
        {
          columns: [column('here', { description: 'from source' }), column('bare')],
        },
      ),
      0,
    );
    expect(ledger.open().map(({ key }) => key)).toEqual(['description:["gone"]', 'description:["here"]']);
    expect(ledger.value({ aspect: 'description', column: ['gone'] })).toEqual({ known: false });
  });
});

describe('deletion', () => {
  it('wins over everything pending, and settles every field', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 10, 'pending'), 0);
    const gone = change(
      2,
      20,
      [{ kind: 'updated', name: 'deleted', oldValue: false, newValue: true }],
      { deleted: true },
      { eventType: 'entitySoftDeleted' },
    );
    expect(ledger.admit(gone, 0)).toMatchObject({ kind: 'deleted', touches: [{ key: 'description', sequence: 2 }] });
    expect(field(ledger, 'description')).toMatchObject({
      stale: false,
      winner: { sequence: 2 },
      losers: [{ sequence: 1 }],
    });
    settleAll(ledger);
    const next = reborn(ledger);
    next.admit(tagged(3, 15, ['A.x'], { added: 'A.x' }), 0);
    expect(field(next, 'tags')).toMatchObject({ stale: true, settledBy: gone.event.id });
  });

  it('for good ranks above all of its entity, though it carries an old time, and below the next one of that name', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 50, 'pending'), 0);
    ledger.admit(
      change(
        2,
        100,
        undefined,
        { entityId: 't2', description: 'created again' },
        { eventType: 'entityCreated', entityId: 't2' },
      ),
      0,
    );
    ledger.admit(tagged(3, 60, ['A.x'], { added: 'A.x' }), 0);
    const gone = change(4, 10, undefined, {}, { eventType: 'entityDeleted' });
    expect(ledger.admit(gone, 0)).toMatchObject({ kind: 'deleted', touches: [{ key: 'tags' }] });
    expect(field(ledger, 'description').winner.sequence).toBe(2);
    expect(ledger.newest()).toMatchObject({ entityId: 't2', description: 'created again' });
  });

  it('is over with a restore, which touches what the snapshot carries', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(
      change(1, 10, [{ kind: 'updated', name: 'deleted', oldValue: false, newValue: true }], { deleted: true }),
      0,
    );
    ledger.admit(
      change(2, 20, [{ kind: 'updated', name: 'deleted', oldValue: true, newValue: false }], { description: 'back' }),
      0,
    );
    expect(field(ledger, 'description')).toMatchObject({ stale: false, winner: { reason: 'whole' } });
  });
});

describe('touches that only channels see', () => {
  it('concern one channel, and are refused where the change touches the field for all', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 10, 'text'), 0);
    expect(ledger.touch(1, { aspect: 'description' }, 'pii')).toBeUndefined();
    expect(ledger.touch(1, { aspect: 'tags' }, 'pii')).toMatchObject({
      reason: 'entered',
      channel: 'pii',
      rank: { time: T + 10 },
    });
    expect(ledger.touch(1, { aspect: 'tags' }, 'pii')).toBeUndefined();
    expect(ledger.touch(2, { aspect: 'tags' }, 'pii')).toBeUndefined();
    expect(field(ledger, 'tags').mayClear).toBe(false);
    settleAll(ledger);
    expect(ledger.isOpen(1)).toBe(false);
  });

  it('are in doubt where their change is an undo, whose place in time is a guess', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(change(1, 10, [], {}, { currentVersion: 0.1, previousVersion: 0.2 }), 0);
    expect(ledger.touch(1, { aspect: 'tags' }, 'pii')?.doubts).toEqual(['undo']);
  });
});

describe('sync state', () => {
  it('stays small for a table of 400 columns, and reads back to the same', () => {
    const ledger = createLedger(ASSET, undefined);
    const columns = Array.from({ length: 400 }, (_, i) => column(`column_${i}`, { description: `Column number ${i}` }));
    ledger.admit(change(1, 10, undefined, { columns }, { eventType: 'entityCreated' }), 0);
    settleAll(ledger);
    const state = ledger.toSyncState();
    expect(JSON.stringify(state).length).toBeLessThan(32_000);
    expect(reborn(ledger).toSyncState()).toEqual(state);
    expect(reborn(ledger).settled('description:["column_399"]')).toEqual(ledger.settled('description:["column_399"]'));
  });

  it('carries the newest eight changes', () => {
    const ledger = createLedger(ASSET, undefined);
    for (let i = 1; i <= 20; i += 1) ledger.admit(described(i, i, `text ${i}`), 0);
    settleAll(ledger);
    expect(ledger.toSyncState().recent.map(({ time }) => time - T)).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it('counts its size in memory', () => {
    const ledger = createLedger(ASSET, undefined);
    const before = ledger.bytes();
    ledger.admit(described(1, 10, 'x'.repeat(50_000)), 0);
    expect(ledger.bytes() - before).toBeGreaterThan(100_000);
  });
});

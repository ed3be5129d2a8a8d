import { describe, expect, it } from 'vitest';
import { createLedger } from './asset-ledger.ts';
import { ASSET, change, column, described, field, reborn, settleAll, T, tag, tagged } from './ledger-samples.ts';

describe('newest state', () => {
  it('takes tags and owners from the newest snapshot that carries them', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 10, ['A.x'], { added: 'A.x' }), 0);
    ledger.admit(
      change(2, 20, [{ kind: 'updated', name: 'description', newValue: 'put' }], {
        description: 'put',
        columns: [column('a')],
      }),
      0,
    );
    expect(ledger.newest()).toMatchObject({ description: 'put', tags: [tag('A.x')] });
    expect(ledger.value({ aspect: 'tags' })).toMatchObject({ known: true, rank: { time: T + 10 } });
    expect(ledger.value({ aspect: 'tags', column: ['a'] })).toEqual({ known: false });
    expect(ledger.value({ aspect: 'owners' })).toEqual({ known: false });
  });

  it('never mixes in what belongs to an entity of another id', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 10, ['A.x'], { added: 'A.x' }), 0);
    ledger.admit(
      change(2, 20, undefined, { entityId: 't2' }, { eventType: 'entityCreated', entityId: 't2', currentVersion: 0.1 }),
      0,
    );
    expect(ledger.newest()).not.toHaveProperty('tags');
    expect(ledger.value({ aspect: 'tags' })).toEqual({ known: false });
  });

  it('touches a settled description that stands differently in a newer snapshot', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 10, 'written'), 0);
    settleAll(ledger);
    const next = reborn(ledger);
    next.admit(
      change(2, 20, [{ kind: 'updated', name: 'displayName', newValue: 'x' }], { description: 'suggested' }),
      0,
    );
    expect(field(next, 'description').winner).toMatchObject({ reason: 'differs', sequence: 2 });
    const same = reborn(ledger);
    same.admit(change(3, 20, [{ kind: 'updated', name: 'displayName', newValue: 'x' }], { description: 'written' }), 0);
    expect(same.open()).toEqual([]);
  });

  it('follows a description that was empty when the entity was created anew after a deletion', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 10, 'text'), 0);
    settleAll(ledger);
    ledger.admit(change(2, 10, undefined, {}, { eventType: 'entityDeleted' }), 0);
    const again = { eventType: 'entityCreated', entityId: 't2', currentVersion: 0.1 };
    ledger.admit(change(3, 20, undefined, { entityId: 't2' }, again), 0);
    const vote = [{ kind: 'updated', name: 'votes', newValue: 'votedUp' }] as const;
    const suggested = { entityId: 't2', description: 'suggested' };
    ledger.admit(change(4, 30, vote, suggested, { entityId: 't2', currentVersion: 0.1 }), 0);
    expect(field(ledger, 'description').winner).toMatchObject({ reason: 'differs', sequence: 4 });
  });

  it('follows a description that was empty when the entity was created', () => {
    const ledger = createLedger(ASSET, undefined);
    expect(
      ledger.admit(change(1, 10, undefined, { columns: [column('a')] }, { eventType: 'entityCreated' }), 0),
    ).toMatchObject({ touches: [] });
    const next = reborn(ledger);
    next.admit(
      change(2, 20, [{ kind: 'added', name: 'followers' }], { columns: [column('a', { description: 'suggested' })] }),
      0,
    );
    expect(field(next, 'description:["a"]').winner.reason).toBe('differs');
  });

  it('knows the state before a change, with what the snapshot does not carry', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 10, ['A.x', 'B.y'], { added: 'B.y', removed: 'C.z' }), 0);
    expect(ledger.before(1)?.tags).toEqual([tag('A.x'), tag('C.z')]);
    ledger.admit(
      change(2, 20, [{ kind: 'updated', name: 'description', oldValue: 'old', newValue: 'new' }], {
        description: 'new',
      }),
      0,
    );
    expect(ledger.before(2)).toMatchObject({ description: 'old', tags: [tag('A.x'), tag('B.y')] });
    expect(ledger.before(99)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { createLedger } from './asset-ledger.ts';
import {
  ASSET,
  change,
  column,
  described,
  field,
  reborn,
  settleAll,
  snapshot,
  T,
  tag,
  tagged,
} from './ledger-samples.ts';

describe('removed tags', () => {
  it('are those that the newest state does not contain', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 10, ['B.y'], { removed: 'A.x' }), 0);
    ledger.admit(tagged(2, 20, ['A.x', 'B.y'], { added: 'A.x' }), 0);
    ledger.admit(tagged(3, 30, ['A.x'], { removed: 'B.y' }), 0);
    expect(field(ledger, 'tags').removedTags).toEqual([tag('B.y')]);
  });

  it('of a late change are still honoured, if the newest state is at hand and lacks them', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 20, ['B.y'], { added: 'B.y' }), 0);
    settleAll(ledger);
    const late = tagged(2, 10, [], { removed: 'A.x' });
    const next = reborn(ledger);
    next.admit(late, 0);
    expect(field(next, 'tags')).toMatchObject({ stale: true, removedTags: [] });
    ledger.admit(late, 0);
    expect(field(ledger, 'tags')).toMatchObject({ stale: true, removedTags: [tag('A.x')] });
  });
});

describe('doubt and a fresh read', () => {
  it('a change that tells nothing touches what the snapshot carries, and never clears', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(change(1, 10, undefined, { description: 'text', tags: [], columns: [column('a')] }), 0);
    expect(ledger.open().map(({ key }) => key)).toEqual(['description']);
    expect(field(ledger, 'description')).toMatchObject({
      winner: { reason: 'whole' },
      doubts: ['no-change-description'],
      mayClear: false,
    });
  });

  it('a creation is whole without any doubt', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(change(1, 10, undefined, { description: 'text' }, { eventType: 'entityCreated' }), 0);
    expect(field(ledger, 'description')).toMatchObject({ doubts: [], mayClear: false });
  });

  it('a field not yet settled is in doubt below a snapshot that was seen and is not at hand', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(tagged(1, 20, ['A.x'], { added: 'A.x' }), 0);
    settleAll(ledger);
    const next = reborn(ledger);
    next.admit(described(2, 10, 'older'), 0);
    expect(field(next, 'description').doubts).toEqual(['older-than-newest-snapshot']);
    ledger.admit(described(3, 10, 'older'), 0);
    expect(field(ledger, 'description').doubts).toEqual([]);
  });

  it('a field that only a deletion settled is in doubt there, too', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(change(1, 5, undefined, {}, { eventType: 'entityDeleted' }), 0);
    ledger.admit(tagged(2, 20, ['A.x'], { added: 'A.x' }), 0);
    settleAll(ledger);
    const next = reborn(ledger);
    const restored = [{ kind: 'updated', name: 'deleted', oldValue: true, newValue: false }] as const;
    next.admit(change(3, 10, restored, { description: 'text' }, { eventType: 'entityRestored' }), 0);
    expect(field(next, 'description').doubts).toEqual(['older-than-newest-snapshot']);
  });

  it('a column that several fit and none agrees with', () => {
    const ledger = createLedger(ASSET, undefined);
    const columns = [
      column('unit.price'),
      column('unit', { children: [column('price', { path: ['unit', 'price'] })] }),
    ];
    ledger.admit(
      change(1, 10, [{ kind: 'added', name: 'columns.unit.price.description', newValue: 'new' }], { columns }),
      0,
    );
    expect(ledger.open().map(({ key, doubts }) => [key, doubts])).toEqual([
      ['description:["unit.price"]', ['ambiguous-column']],
      ['description:["unit","price"]', ['ambiguous-column']],
    ]);
  });

  it('a field that the snapshot lacks, until one that carries it comes', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(change(1, 10, [{ kind: 'added', name: 'tags', newValue: [{ ...tag('A.x') }] }], {}), 0);
    expect(field(ledger, 'tags').doubts).toEqual(['field-not-in-snapshot']);
    ledger.admit(change(2, 20, [], { tags: [tag('A.x')] }), 0);
    expect(field(ledger, 'tags').doubts).toEqual([]);
  });

  it('is answered by a read for what is open then, not for what comes later', () => {
    const ledger = createLedger(ASSET, undefined);
    ledger.admit(described(1, 20, 'newer'), 0);
    settleAll(ledger);
    const next = reborn(ledger);
    next.admit(described(2, 10, 'older'), 0);
    next.refresh(snapshot({ description: '', tags: [] }), T + 5);
    expect(field(next, 'description')).toMatchObject({ stale: false, fresh: true, doubts: [], mayClear: true });
    const value = next.value({ aspect: 'description' });
    expect(value).toMatchObject({ known: true, text: undefined });
    expect(value.known && value.rank.time).toBeGreaterThan(T + 20);
    settleAll(next);
    next.admit(described(3, 15, 'older still'), 0);
    expect(field(next, 'description')).toMatchObject({ stale: true, fresh: false, doubts: ['rank-not-above-settled'] });
  });
});

import { describe, expect, it } from 'vitest';
import type { FieldChange } from './change-event.ts';
import type { Json } from './json.ts';
import { change, column, tag } from './ledger-samples.ts';
import type { Snapshot } from './snapshot.ts';
import { stateBefore } from './state-before.ts';

const label = (tagFQN: string): Json => ({ ...tag(tagFQN) });
const owner = (name: string) => ({ id: name, type: 'user', name, inherited: false });
const earlier = (changes: readonly FieldChange[] | undefined, state: Partial<Snapshot>, eventType = 'entityUpdated') =>
  stateBefore(change(1, 0, changes, state, { eventType }).event);

describe('stateBefore', () => {
  it('takes back every kind of diff that a filter can see', () => {
    const changes: readonly FieldChange[] = [
      { kind: 'added', name: 'description', newValue: 'new' },
      { kind: 'updated', name: 'displayName', oldValue: 'Old', newValue: 'New' },
      { kind: 'added', name: 'tags', newValue: [label('B.y')] },
      { kind: 'deleted', name: 'tags', oldValue: [label('C.z')] },
      { kind: 'added', name: 'owners', newValue: [owner('lee')] },
      { kind: 'deleted', name: 'owners', oldValue: [owner('kim')] },
      { kind: 'updated', name: 'domains', oldValue: [{ name: 'sales' }], newValue: [{ name: 'finance' }] },
      { kind: 'added', name: 'extension', newValue: [{ budget: 7 }] },
      { kind: 'updated', name: 'extension.note', oldValue: 'a', newValue: 'b' },
      { kind: 'updated', name: 'columns.a.description', oldValue: 'was', newValue: 'is' },
      { kind: 'added', name: 'columns.a.tags', newValue: [label('D.w')] },
      { kind: 'added', name: 'columns', newValue: [{ name: 'fresh', dataType: 'INT' }] },
      { kind: 'updated', name: 'deleted', oldValue: true, newValue: false },
    ];
    const state = earlier(changes, {
      description: 'new',
      displayName: 'New',
      tags: [tag('A.x'), tag('B.y')],
      owners: [owner('lee')],
      domains: ['finance'],
      extension: { budget: 7, note: 'b' },
      columns: [column('a', { description: 'is', tags: [tag('D.w')] }), column('fresh')],
    });
    expect(state).not.toHaveProperty('description');
    expect(state).toMatchObject({
      displayName: 'Old',
      tags: [tag('A.x'), tag('C.z')],
      owners: [owner('kim')],
      domains: ['sales'],
      extension: { note: 'a' },
      columns: [column('a', { description: 'was' })],
      deleted: true,
    });
  });

  it('leaves what the snapshot does not carry unknown', () => {
    expect(earlier([{ kind: 'deleted', name: 'tags', oldValue: [label('A.x')] }], {})).not.toHaveProperty('tags');
  });

  it('is not known before a creation, nor without a change description', () => {
    expect(earlier([], {}, 'entityCreated')).toBeUndefined();
    expect(earlier(undefined, {})).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { FieldChange } from './change-event.ts';
import type { Json } from './json.ts';
import { change, column, tag } from './ledger-samples.ts';
import type { Snapshot } from './snapshot.ts';
import { isDeletion, isIgnorable, touchesOf } from './touches.ts';

const label = (tagFQN: string): Json => ({ ...tag(tagFQN) });
const event = (
  changes: readonly FieldChange[] | undefined,
  state: Partial<Snapshot> = {},
  eventType = 'entityUpdated',
) => change(1, 0, changes, state, { eventType }).event;
const keys = (...given: Parameters<typeof event>) =>
  touchesOf(event(...given)).map((touch) => `${touch.key} ${touch.reason}`);

describe('touchesOf', () => {
  it.each<[string, FieldChange, readonly string[]]>([
    ['description', { kind: 'updated', name: 'description', oldValue: 'a', newValue: 'b' }, ['description diff']],
    ['tags', { kind: 'added', name: 'tags', newValue: [label('A.x')] }, ['tags diff']],
    ['owners', { kind: 'deleted', name: 'owners', oldValue: [] }, ['owners diff']],
    ['the single owner of older servers', { kind: 'updated', name: 'owner' }, ['owners diff']],
    ['a column', { kind: 'added', name: 'columns.a.description', newValue: 'text' }, ['description:["a"] diff']],
    [
      'a column named like an attribute',
      { kind: 'added', name: 'columns.tags.description', newValue: 'x' },
      ['description:["tags"] diff'],
    ],
    ['votes', { kind: 'updated', name: 'votes', newValue: 'votedUp' }, []],
    ['a display name', { kind: 'added', name: 'displayName', newValue: 'x' }, []],
    ['a column display name', { kind: 'added', name: 'columns."a.b".displayName', newValue: 'x' }, []],
    ['a custom property', { kind: 'updated', name: 'extension.retention', newValue: 7 }, []],
    ['a domain', { kind: 'deleted', name: 'domains', oldValue: [] }, []],
    [
      'an import of a whole table',
      { kind: 'updated', name: 'bulkImport', newValue: {} },
      ['owners whole', 'description:["a"] whole'],
    ],
    [
      'something nobody knows',
      { kind: 'updated', name: 'brandNew', newValue: 1 },
      ['owners whole', 'description:["a"] whole'],
    ],
  ])('%s', (_, one, touched) => {
    const owners = [{ id: 'u1', type: 'user', name: 'kim', inherited: false }];
    expect(keys([one], { tags: [], owners, columns: [column('a', { description: 'text' }), column('tags')] })).toEqual(
      touched,
    );
  });

  it('an event without a change description is not one with an empty one', () => {
    const state = { description: 'text', tags: [] };
    expect(keys(undefined, state)).toEqual(['description whole']);
    expect(keys([], state)).toEqual([]);
    expect(isIgnorable(event([], state))).toBe(true);
  });

  it('gathers what was removed from a field, however it is told', () => {
    const removed = (changes: readonly FieldChange[]) =>
      touchesOf(event(changes, { tags: [tag('C.z')] }))[0]?.removedTags.map(({ tagFQN }) => tagFQN);
    expect(
      removed([
        { kind: 'added', name: 'tags', newValue: [label('C.z')] },
        { kind: 'deleted', name: 'tags', oldValue: [label('A.x')] },
      ]),
    ).toEqual(['A.x']);
    expect(
      removed([{ kind: 'updated', name: 'tags', oldValue: [label('A.x'), label('C.z')], newValue: [label('C.z')] }]),
    ).toEqual(['A.x']);
  });

  it('takes a column whose type changed for one whose tags are in doubt', () => {
    const one = (dataType: string, tags: readonly Json[]): Json => ({ name: 'a', dataType, tags });
    const touches = touchesOf(
      event(
        [
          { kind: 'added', name: 'columns', newValue: [one('TEXT', [])] },
          { kind: 'deleted', name: 'columns', oldValue: [one('INT', [label('A.x')])] },
        ],
        { columns: [column('a')] },
      ),
    );
    expect(touches).toMatchObject([
      { key: 'tags:["a"]', removedTags: [{ tagFQN: 'A.x' }], doubts: ['field-not-in-snapshot'] },
    ]);
  });

  it('finds the children that a struct gained', () => {
    const geo = column('geo', { children: [column('lat', { path: ['geo', 'lat'], description: 'Latitude' })] });
    const added: Json = [{ name: 'lat', dataType: 'DOUBLE', description: 'Latitude' }];
    expect(keys([{ kind: 'added', name: 'columns.geo', newValue: added }], { columns: [geo] })).toEqual([
      'description:["geo","lat"] diff',
    ]);
  });

  it('a deletion touches nothing by itself, whatever stale diff it carries', () => {
    const stale: readonly FieldChange[] = [{ kind: 'updated', name: 'deleted', oldValue: true, newValue: false }];
    expect(isDeletion(event(stale, {}, 'entityDeleted'))).toBe(true);
    expect(keys(stale, { description: 'text' }, 'entityDeleted')).toEqual([]);
    expect(isIgnorable(event(stale, {}, 'entityDeleted'))).toBe(false);
    expect(isDeletion(event(stale))).toBe(false);
  });
});

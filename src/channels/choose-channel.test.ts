import { describe, expect, it } from 'vitest';
import { label, sampleTable } from '../../test/support/sample-snapshot.ts';
import type { Json } from '../domain/json.ts';
import type { Channel } from './channel.ts';
import { chooseChannels, compareChannels, entersChannel, manages } from './choose-channel.ts';
import { compileFilter } from './json-logic-filter.ts';

function channel(name: string, filter: Json, over: Partial<Channel> = {}): Channel {
  const compiled = compileFilter(filter, []);
  if (!compiled.ok) throw new Error(name);
  return {
    name,
    priority: 0,
    mode: 'write',
    filter: compiled.value,
    update: new Set(['description', 'tags']),
    levels: new Set(['table', 'column']),
    onDrift: 'overwrite',
    descriptionFormat: 'as-is',
    templates: [],
    acceptRace: false,
    ...over,
  };
}

const sensitive: Json = { some: [{ var: 'tags' }, { '==': [{ var: 'tagFQN' }, 'PII.Sensitive'] }] };
const untagged = sampleTable({ tags: [] });

describe('channels', () => {
  it('stand in the order of priority, then of name', () => {
    const names = [
      channel('b', true),
      channel('a', true),
      channel('z', true, { priority: 5 }),
      channel('m', true, { priority: -1 }),
    ];
    expect(names.sort(compareChannels).map(({ name }) => name)).toEqual(['z', 'a', 'b', 'm']);
  });

  it('manage what their switches and levels include', () => {
    const one = channel('a', true);
    expect(manages(one, 'description', 'column')).toBe(true);
    expect(manages(one, 'owners', 'table')).toBe(false);
    expect(manages(one, 'description', 'schema')).toBe(false);
  });

  it('the first that matches writes, later ones are shadowed by it, the others say why not', () => {
    const answers = chooseChannels(
      [channel('no', { '==': [{ var: 'service.name' }, 'x'] }), channel('first', true), channel('second', true)],
      sampleTable(),
      undefined,
      'description',
    );
    expect(answers).toEqual([
      {
        kind: 'filter-false',
        reason: 'the filter is false: service.name == "x" (service.name is "pg_sales") is false',
        inDoubt: false,
      },
      { kind: 'writes', removalsOnly: false, inDoubt: false },
      { kind: 'shadowed', by: 'first', inDoubt: false },
    ]);
  });

  it('stay concerned with the tag that a change removed, and only with that', () => {
    const before = sampleTable({ tags: [label('PII.Sensitive')] });
    const other = channel('other', { '==': [{ var: 'service.name' }, 'x'] });
    expect(chooseChannels([other, channel('pii', sensitive)], untagged, [untagged, before], 'tags')).toMatchObject([
      { kind: 'filter-false' },
      { kind: 'writes', removalsOnly: true },
    ]);
    expect(chooseChannels([channel('pii', sensitive)], untagged, [before], 'description')).toMatchObject([
      { kind: 'filter-false' },
    ]);
    expect(chooseChannels([channel('pii', sensitive)], untagged, [untagged], 'tags')).toMatchObject([
      { kind: 'filter-false' },
    ]);
  });

  it('leave a removal to a channel whose filter is true now, since that one writes the rest too', () => {
    const before = sampleTable({ tags: [label('PII.Sensitive')] });
    const channels = [channel('pii', sensitive), channel('rest', true)];
    expect(chooseChannels(channels, untagged, [before], 'tags')).toMatchObject([
      { kind: 'shadowed', by: 'rest' },
      { kind: 'writes', removalsOnly: false },
    ]);
  });

  it('say when the tags that the filter needs are not known', () => {
    const { tags: _, ...unknown } = sampleTable();
    const [answer] = chooseChannels([channel('pii', sensitive)], unknown, undefined, 'description');
    expect(answer?.inDoubt).toBe(true);
    expect(answer?.kind === 'filter-false' ? answer.reason : '').toContain('does not carry the tags');
  });

  it('are entered when the filter becomes true', () => {
    const one = channel('pii', sensitive);
    expect(entersChannel(one, sampleTable(), untagged)).toBe(true);
    expect(entersChannel(one, sampleTable(), sampleTable())).toBe(false);
    expect(entersChannel(one, untagged, sampleTable())).toBe(false);
    expect(entersChannel(one, sampleTable(), undefined)).toBe(false);
  });
});

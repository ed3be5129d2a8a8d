import { describe, expect, it } from 'vitest';
import { label, owner, sampleTable } from '../../test/support/sample-snapshot.ts';
import { formatProblem } from '../config/problem.ts';
import type { Json } from '../domain/json.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { decidingClause } from './explain-filter.ts';
import { type CompiledFilter, compileFilter } from './json-logic-filter.ts';

const PLACE = ['channels', 0, 'filter'];

function compiled(logic: Json): CompiledFilter {
  const result = compileFilter(logic, PLACE);
  if (!result.ok) throw new Error(result.error.map(formatProblem).join('\n'));
  return result.value;
}

function problemsOf(logic: Json): string {
  const result = compileFilter(logic, PLACE);
  return result.ok ? '' : result.error.map(formatProblem).join('\n');
}

const matches = (logic: Json, state: Snapshot = sampleTable()): boolean => compiled(logic).matches(state);

describe('what filters match', () => {
  const v = (path: string): Json => ({ var: path });
  const cases: readonly (readonly [string, Json, boolean])[] = [
    ['a tag', { some: [v('tags'), { '==': [v('tagFQN'), 'PII.Sensitive'] }] }, true],
    ['another tag', { some: [v('tags'), { '==': [v('tagFQN'), 'PII.None'] }] }, false],
    ['none of a tag', { none: [v('tags'), { '==': [v('classification'), 'Geo'] }] }, true],
    ['all of an empty list', { all: [v('dataProducts'), { '==': [v('name'), 'x'] }] }, false],
    ['the service', { '==': [v('service.name'), 'pg_sales'] }, true],
    ['the service type', { in: [v('serviceType'), ['Mysql', 'Postgres']] }, true],
    ['a part of a name', { in: ['ord', v('name')] }, true],
    ['the tier', { '==': [v('tier.tagFQN'), 'Tier.Tier2'] }, true],
    ['no certification', { '==': [v('certification'), null] }, true],
    ['no owners at all, by null', { '==': [v('owners'), null] }, false],
    ['a domain', { some: [v('domains'), { '==': [v('fullyQualifiedName'), 'Sales'] }] }, true],
    ['a custom property', { '==': [v('extension.costCenter'), 'CC-104'] }, true],
    ['an unset custom property', { '!': v('extension.gone.deeper') }, true],
    ['a number', { '<': [20, v('extension.retentionDays'), 40] }, true],
    ['a number against a text that is none', { '>': [v('extension.costCenter'), 5] }, false],
    ['its negation too', { '<=': [v('extension.costCenter'), 5] }, false],
    ['an "or" beside a clause without sense', { or: [{ '>': [v('name'), 5] }, { '==': [v('name'), 'orders'] }] }, true],
    ['a missing value in a list with null', { in: [v('extension.none'), ['x', null]] }, true],
    ['a missing value in a list without null', { in: [v('extension.none'), ['x', '']] }, false],
    ['contains', { contains: [v('extension.costCenter'), 'CC'] }, true],
    ['array_contains on what is no list', { array_contains: [v('extension.retentionDays'), 30] }, false],
    ['some of what is no list', { some: [v('extension.costCenter'), { '==': [v('x'), 1] }] }, false],
    ['an empty list is not true', { '!': [v('reviewers')] }, true],
    ['a list of one is true', { '!!': v('owners') }, true],
    ['length', { '==': [{ length: v('tags') }, 2] }, true],
    ['a nested column', { some: [v('columns'), { '==': [v('path'), 'address."zip.code"'] }] }, true],
    ['a tag of a nested column', { some: [v('columns'), { some: [v('tags'), { '==': [v('name'), 'None'] }] }] }, true],
    ['map and in', { in: ['ana', { map: [v('owners'), v('name')] }] }, true],
    [
      'filter and length',
      { '>': [{ length: [{ filter: [v('tags'), { '==': [v('classification'), 'PII'] }] }] }, 0] },
      true,
    ],
    ['reduce', { '==': [{ reduce: [v('columns'), { '+': [v('accumulator'), 1] }, 0] }, 3] }, true],
    ['if', { if: [v('deleted'), false, { '==': [v('entityType'), 'table'] }] }, true],
    ['isOwner', { isOwner: { var: 'updatedBy' } }, true],
    ['isReviewer', { isReviewer: v('updatedBy') }, false],
    ['filterReferenceByType', { '!!': [{ filterReferenceByType: [v('owners'), 'team'] }] }, false],
    ['filterTagsBySource', { '!!': { filterTagsBySource: [v('tags'), 'Classification'] } }, true],
    ['an index', { '==': [v('tags.0.name'), 'Sensitive'] }, true],
    ['a default', { '==': [{ var: ['extension.none', 'x'] }, 'x'] }, true],
    ['cat, substr and merge', { in: [{ cat: ['or', { substr: [v('name'), 2] }] }, { merge: [['orders'], []] }] }, true],
    ['arithmetic', { '==': [{ '-': [{ '*': [v('extension.retentionDays'), 2] }, { '%': [7, 4] }] }, 57] }, true],
    ['division by zero', { '==': [{ '/': [1, 0] }, null] }, true],
    ['true', true, true],
    ['the display name falls back to the name', { '==': [v('displayName'), 'orders'] }, true],
  ];
  it.each(cases)('%s', (_, logic, expected) => {
    expect(matches(logic)).toBe(expected);
  });

  it('reads owners and tags of the state that it is given', () => {
    const filter = compiled({ some: [{ var: 'owners' }, { '==': [{ var: 'type' }, 'team'] }] });
    expect(filter.matches(sampleTable())).toBe(false);
    expect(filter.matches(sampleTable({ owners: [owner('sales', { type: 'team' })] }))).toBe(true);
  });

  it('does not find members of prototypes in custom properties', () => {
    expect(matches({ '!!': { var: 'extension.toString' } })).toBe(false);
    expect(matches({ '!!': { var: 'extension.hasOwnProperty.name' } })).toBe(false);
  });
});

describe('tags in doubt', () => {
  it('knows which filters read tags', () => {
    const reads: Json[] = [
      { some: [{ var: 'tags' }, true] },
      { '==': [{ var: 'tier.name' }, 'Tier1'] },
      { some: [{ var: 'columns' }, { some: [{ var: 'tags' }, true] }] },
      { '==': [{ var: 'columns.0.tags.0.name' }, 'x'] },
    ];
    for (const logic of reads) expect(compiled(logic).needsTags).toBe(true);
    expect(compiled({ some: [{ var: 'columns' }, { '==': [{ var: 'name' }, 'id'] }] }).needsTags).toBe(false);
    expect(compiled({ '==': [{ var: 'service.name' }, 'x'] }).needsTags).toBe(false);
  });
});

describe('problems of filters', () => {
  const cases: readonly (readonly [string, Json, readonly string[]])[] = [
    [
      'an operator',
      { and: [{ sone: [] }] },
      ['channels[0].filter.and[0].sone', 'unknown operator "sone"', 'did you mean "some"?'],
    ],
    [
      'a field',
      { '==': [{ var: 'servise.name' }, 1] },
      ['filter["=="][0].var', 'unknown field "servise"', 'did you mean "service"?'],
    ],
    ['a member', { '==': [{ var: 'service.nam' }, 'x'] }, ['unknown field "nam" of "service"', 'did you mean "name"?']],
    [
      'an older name',
      { '==': [{ var: 'schema.name' }, 'x'] },
      ['unknown field "schema"', 'did you mean "databaseSchema"?'],
    ],
    [
      'a field of an element',
      { some: [{ var: 'tags' }, { '==': [{ var: 'tagFqm' }, 'x'] }] },
      ['some[1]["=="][0].var', 'did you mean "tagFQN"?'],
    ],
    [
      'an outer field in a list',
      { some: [{ var: 'tags' }, { '==': [{ var: 'service.name' }, 'x'] }] },
      ['inside a list operator only the fields of one element'],
    ],
    ['a path through a list', { '==': [{ var: 'tags.tagFQN' }, 'x'] }, ['"tags" is a list', 'some: [ { var: tags }']],
    [
      'a list compared',
      { '==': [{ var: 'tags' }, 'PII.Sensitive'] },
      ['compares single values', '{ some: [ { var: tags }, { "==": [ { var: "tagFQN" }'],
    ],
    ['an object compared', { '==': [{ var: 'tier' }, 'Tier.Tier1'] }, ['tier is an object', 'tier.tagFQN']],
    ['a value in a list of objects', { in: ['ana', { var: 'owners' }] }, ['single value in a list of objects']],
    ['a loop over no list', { some: [{ var: 'name' }, true] }, ['goes through a list, and this is none']],
    [
      'a value that cannot be',
      { '==': [{ var: 'entityType' }, 'Table'] },
      ['"Table" is no value of this field', 'did you mean "table"?'],
    ],
    [
      'a value in a list that cannot be',
      { in: [{ var: 'entityType' }, ['table', 'view']] },
      ['"view" is no value of this field'],
    ],
    ['too few arguments', { '==': [{ var: 'name' }] }, ['"==" takes 2 argument(s), not 1', 'write { "==": [ a, b ] }']],
    [
      'several operators in one object',
      { '==': [1, 1], '!=': [1, 2] },
      ['one object holds several operators: ==, !=', 'join them'],
    ],
    ['an empty object', {}, ['an empty object is no condition']],
    ['a computed path', { var: [{ cat: ['a', 'b'] }] }, ['the name of a field is a plain text']],
    ['a prototype', { '==': [{ var: 'extension.__proto__.x' }, 1] }, ['the name "__proto__" is not allowed in a path']],
    [
      'a constructor',
      { '==': [{ var: 'constructor.name' }, 'Object'] },
      ['the name "constructor" is not allowed in a path'],
    ],
    ['a prototype as an operator', JSON.parse('{"__proto__": []}'), ['unknown operator "__proto__"']],
    ['an operator of the engine that filters may not use', { log: ['x'] }, ['unknown operator "log"']],
    ['the internal guard', { '@list': [1] }, ['unknown operator "@list"']],
    ['a query', { query: { bool: {} } }, ['Elasticsearch query', 'not supported yet']],
    ['a text', '{"query":{}}', ['query_filter strings of OpenMetadata are not supported yet', 'include and exclude']],
    ['nothing', null, ['a filter is a JsonLogic object', 'leave the filter out']],
    [
      'isOwner inside a list',
      { some: [{ var: 'tags' }, { isOwner: { var: 'name' } }] },
      ['cannot stand inside a list operator'],
    ],
  ];
  it.each(cases)('%s', (_, logic, expected) => {
    const text = problemsOf(logic);
    for (const part of expected) expect(text).toContain(part);
    expect(text).toContain('channels[0].filter');
  });

  it('refuses a filter that is nested too deeply, once', () => {
    let logic: Json = true;
    for (let depth = 0; depth < 5000; depth += 1) logic = { '!': [logic] };
    expect(problemsOf(logic).match(/nested deeper than/g)).toHaveLength(1);
  });

  it('refuses a filter that is too long, once', () => {
    const logic: Json = {
      or: Array.from({ length: 900 }, () => ({ in: [{ var: 'name' }, Array.from({ length: 20 }, String)] })),
    };
    expect(problemsOf(logic).match(/longer than/g)).toHaveLength(1);
  });
});

describe('explain', () => {
  it('names the clause that decided, and the value that it found', () => {
    const filter = compiled({
      and: [{ '==': [{ var: 'entityType' }, 'table'] }, { '==': [{ var: 'service.name' }, 'trino'] }],
    });
    const trace = filter.explain(sampleTable());
    expect(trace.result).toBe(false);
    expect(trace.children.map((child) => child.clause)).toEqual([
      'service.name == "trino" (service.name is "pg_sales")',
    ]);
    expect(decidingClause(trace)).toBe('service.name == "trino" (service.name is "pg_sales") is false');
  });

  it('shows the element that made "some" true', () => {
    const filter = compiled({ some: [{ var: 'tags' }, { '==': [{ var: 'tagFQN' }, 'Tier.Tier2'] }] });
    const trace = filter.explain(sampleTable());
    expect(trace.clause).toBe('some of tags: tagFQN == "Tier.Tier2"');
    expect(trace.children).toEqual([
      { clause: 'tags[1] tagFQN == "Tier.Tier2" (tagFQN is "Tier.Tier2")', result: true, children: [] },
    ]);
  });

  it('says that a list is empty', () => {
    const filter = compiled({ some: [{ var: 'tags' }, { '==': [{ var: 'tagFQN' }, 'x.y'] }] });
    expect(decidingClause(filter.explain(sampleTable({ tags: [] })))).toBe(
      'some of tags: tagFQN == "x.y" (tags is empty) is false',
    );
  });

  it('agrees with matches for every clause kind', () => {
    const filter = compiled({
      or: [
        { '!': [{ some: [{ var: 'owners' }, { '==': [{ var: 'name' }, 'ana'] }] }] },
        {
          if: [
            { '==': [{ var: 'tableType' }, 'View'] },
            true,
            { none: [{ var: 'tags' }, { '==': [{ var: 'name' }, 'Secret'] }] },
          ],
        },
      ],
    });
    for (const state of [
      sampleTable(),
      sampleTable({ tags: [label('X.Secret')] }),
      sampleTable({ owners: [], tableType: 'View' }),
    ]) {
      expect(filter.explain(state).result).toBe(filter.matches(state));
    }
  });
});

describe('which services a filter can concern', () => {
  const trino = { name: 'trino_prod', types: ['Trino'] };
  const sales = { name: 'pg_sales', types: ['Postgres'] };
  it.each<readonly [string, Json, boolean, boolean]>([
    ['by name', { '==': [{ var: 'service.name' }, 'trino_prod'] }, true, false],
    [
      'by name beside something unknown',
      { and: [{ '==': [{ var: 'service.name' }, 'trino_prod'] }, { var: 'name' }] },
      true,
      false,
    ],
    [
      'by type in an or',
      { or: [{ '==': [{ var: 'service.type' }, 'Trino'] }, { in: [{ var: 'serviceType' }, ['Mysql']] }] },
      true,
      false,
    ],
    ['negated', { '!': { '==': [{ var: 'service.name' }, 'trino_prod'] } }, false, true],
    ['unknown stays possible', { some: [{ var: 'tags' }, { '==': [{ var: 'name' }, 'x'] }] }, true, true],
    ['unknown negated stays possible', { '!': [{ var: 'deleted' }] }, true, true],
    ['never', false, false, false],
  ])('%s', (_, logic, first, second) => {
    expect(compiled(logic).couldMatch(trino)).toBe(first);
    expect(compiled(logic).couldMatch(sales)).toBe(second);
  });

  it('tries each of the types that a connector serves', () => {
    expect(
      compiled({ '==': [{ var: 'serviceType' }, 'MariaDB'] }).couldMatch({ name: 'm', types: ['Mysql', 'MariaDB'] }),
    ).toBe(true);
  });
});

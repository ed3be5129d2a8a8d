import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sampleConnectors } from '../../test/support/sample-connectors.ts';
import { sampleTable } from '../../test/support/sample-snapshot.ts';
import { OPERATORS } from '../channels/filter-operators.ts';
import { VOCABULARY } from '../channels/vocabulary.ts';
import { compileConfig } from './compile.ts';
import type { CompiledConfig } from './compiled.ts';
import { parseConfig } from './load.ts';
import { formatProblem } from './problem.ts';

function compile(text: string): { config?: CompiledConfig; text: string } {
  const loaded = parseConfig([{ file: 'c.yaml', text }]);
  if (!loaded.ok) return { text: loaded.error.map(formatProblem).join('\n') };
  const { document, hash, locate } = loaded.value;
  const compiled = compileConfig(document, sampleConnectors, { revision: 7, hash, locate });
  return compiled.ok ? { config: compiled.value, text: '' } : { text: compiled.error.map(formatProblem).join('\n') };
}

function config(text: string): CompiledConfig {
  const compiled = compile(text);
  if (compiled.config === undefined) throw new Error(compiled.text);
  return compiled.config;
}

const PG = `  - service: pg_sales
    connection: { type: Postgres, hostPort: "db:5432", username: b, authType: { password: "$\{PG_PASSWORD}" } }
`;
const MY = '  - service: my_shop\n    connection: { type: MariaDB, hostPort: "my:3306", username: b }\n';
const RANGER = '  - service: ranger_main\n    connection: { type: Ranger, hostPort: "r:6080", username: b }\n';
const BOTH = `targets:\n${PG}${MY}`;

describe('a compiled configuration', () => {
  it('has the targets with the defaults of their connectors', () => {
    const compiled = config(`targets:\n${PG}    rateLimit: { perSecond: 7 }\n    paused: true\n${MY}`);
    expect(compiled.targets.get('pg_sales')).toMatchObject({
      connector: 'postgres',
      rate: { perSecond: 7, burst: 7, concurrency: 2, batch: 10 },
      paused: true,
      partitions: 1,
    });
    expect(compiled.targets.get('my_shop')).toMatchObject({
      connector: 'mysql',
      rate: { perSecond: 50, burst: 100 },
      paused: false,
    });
    expect(compiled).toMatchObject({
      revision: 7,
      owners: { team: 'role', multiple: 'first' },
      ignoreUsers: new Set(['ingestion-bot']),
    });
    expect(compiled.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('keeps references in the connection as they are', () => {
    expect(JSON.stringify(config(BOTH).targets.get('pg_sales')?.connection)).toContain('{PG_PASSWORD}');
  });

  it('gives each target its channels, highest priority first', () => {
    const compiled = config(`${BOTH}channels:
  - name: docs
  - name: pii
    priority: 10
    filter: { some: [ { var: tags }, { "==": [ { var: tagFQN }, PII.Sensitive ] } ] }
    update: { descriptions: true, tags: true }
    mode: observe
    description: plain
    levels: [ table, column ]
  - name: only-pg
    filter: { "==": [ { var: service.name }, pg_sales ] }
  - name: only-maria
    include: [ my_shop.** ]
  - name: by-type
    priority: -1
    filter: { in: [ { var: serviceType }, [ Mysql ] ] }
`);
    expect(compiled.channelsOf('pg_sales').map(({ name }) => name)).toEqual(['pii', 'docs', 'only-pg']);
    expect(compiled.channelsOf('my_shop').map(({ name }) => name)).toEqual(['pii', 'docs', 'only-maria', 'by-type']);
    expect(compiled.channelsOf('unknown')).toEqual([]);
    expect(compiled.channels.map(({ name }) => name)).toEqual(['pii', 'docs', 'only-maria', 'only-pg', 'by-type']);
    const [pii, docs] = compiled.channels;
    expect(pii).toMatchObject({
      mode: 'observe',
      descriptionFormat: 'plain',
      update: new Set(['description', 'tags']),
      levels: new Set(['table', 'column']),
    });
    expect(docs).toMatchObject({
      mode: 'write',
      descriptionFormat: 'as-is',
      update: new Set(['description']),
      onDrift: 'overwrite',
      acceptRace: false,
    });
    expect(pii?.filter.matches(sampleTable())).toBe(true);
    expect(pii?.filter.matches(sampleTable({ tags: [] }))).toBe(false);
  });

  it('guards what a channel clears, unless that is switched off', () => {
    const compiled = config(`targets:\n${PG}channels:
  - { name: default }
  - { name: less, guard: { clears: 0 } }
  - { name: longer, guard: { per: 2h } }
  - { name: none, guard: off }
  - { name: never, guard: false }
`);
    const guards = new Map(compiled.channels.map(({ name, guard }) => [name, guard]));
    expect(guards.get('default')).toEqual({ clears: 50, perMs: 600_000 });
    expect(guards.get('less')).toEqual({ clears: 0, perMs: 600_000 });
    expect(guards.get('longer')).toEqual({ clears: 50, perMs: 7_200_000 });
    expect([guards.get('none'), guards.get('never')]).toEqual([undefined, undefined]);
  });

  it('sends a channel with a sink to the sink alone', () => {
    const compiled = config(`targets:\n${PG}${RANGER}channels:
  - name: to-ranger
    filter: { "==": [ { var: service.name }, trino_prod ] }
    update: { tags: true }
    sinkService: ranger_main
  - name: docs
`);
    expect(compiled.channelsOf('ranger_main').map(({ name }) => name)).toEqual(['to-ranger']);
    expect(compiled.channelsOf('pg_sales').map(({ name }) => name)).toEqual(['docs']);
  });

  it('compiles templates in the dialect of each target, with the slot that they serve', () => {
    const compiled = config(`${BOTH}channels:
  - name: docs
    update: { descriptions: true, owners: true }
    templates:
      - sql: COMMENT ON TABLE {schema}.{table} IS {description}
      - { aspect: description, level: column, action: clear, sql: "SELECT {column}" }
`);
    const [pg] = compiled.channelsOf('pg_sales');
    const [my] = compiled.channelsOf('my_shop');
    expect(pg?.templates.map(({ aspect, level, action }) => ({ aspect, level, action }))).toEqual([
      { aspect: 'description', level: 'table', action: undefined },
      { aspect: 'description', level: 'column', action: 'clear' },
    ]);
    const values = { service: 's', database: 'd', schema: 'odd "name`', table: 't', description: "it's" };
    const rendered = [pg, my].map((channel) => {
      const result = channel?.templates[0]?.template.render(values);
      return result?.ok === true ? result.value : [];
    });
    expect(rendered[0]).toEqual([`COMMENT ON TABLE "odd ""name\`"."t" IS 'it''s'`]);
    expect(rendered[1]).toEqual(["COMMENT ON TABLE `odd \"name```.`t` IS 'it''s'"]);
  });
});

describe('the documentation', () => {
  const readme = (folder: string): string => readFileSync(new URL(`../${folder}/README.md`, import.meta.url), 'utf8');

  it('shows a configuration that is valid', () => {
    const example = /```yaml\n(.*?)```/s.exec(readme('config'))?.[1] ?? '';
    expect(config(example).channels.map(({ name }) => name)).toEqual(['docs']);
  });

  it('names every field and operator of filters', () => {
    const text = readme('channels');
    const fields = VOCABULARY.kind === 'object' ? Object.keys(VOCABULARY.members) : [];
    expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(text))).toEqual([]);
    expect([...OPERATORS.keys()].filter((name) => name !== 'var' && !text.includes(name))).toEqual([]);
  });
});

describe('what is wrong with a configuration, told with its place and a remedy', () => {
  const channel = (body: string): string => `targets:\n${PG}channels:\n  - name: a\n${body}`;
  it.each<readonly [string, string, string]>([
    [
      'a service twice',
      `targets:\n${PG}${PG}`,
      'c.yaml:4:5: targets[1].service: the service "pg_sales" is configured twice\n  → first in targets[0]; keep one',
    ],
    [
      'a channel twice',
      `targets:\n${PG}channels:\n  - name: a\n  - name: a\n`,
      'c.yaml:6:5: channels[1].name: the channel "a" is configured twice',
    ],
    [
      'no type',
      'targets:\n  - service: x\n    connection: { hostPort: "a:1" }\n',
      'c.yaml:3:5: targets[0].connection: the connection needs a "type"\n  → write the service type of OpenMetadata: Postgres',
    ],
    [
      'an unknown type',
      'targets:\n  - service: x\n    connection: { type: Postgress }\n',
      'c.yaml:3:19: targets[0].connection.type: there is no connector for the service type "Postgress"\n  → did you mean "Postgres"?',
    ],
    [
      'a connection that does not fit',
      'targets:\n  - service: x\n    connection: { type: Postgres, hostPort: db, username: 5 }\n',
      'c.yaml:3:35: targets[0].connection.hostPort: must be host:port',
    ],
    [
      'a wrong kind in it',
      'targets:\n  - service: x\n    connection: { type: Postgres, hostPort: db, username: 5 }\n',
      'targets[0].connection.username: must be a text',
    ],
    [
      'a filter',
      channel('    filter: { "==": [ { var: servce.name }, x ] }\n'),
      'c.yaml:6:25: channels[0].filter["=="][0].var: unknown field "servce"\n  → did you mean "service"?',
    ],
    [
      'an operator',
      channel('    filter:\n      and:\n        - { equals: [ 1, 1 ] }\n'),
      'c.yaml:8:13: channels[0].filter.and[0].equals: unknown operator "equals"\n  → did you mean "=="?',
    ],
    [
      'a pattern',
      channel('    include: [ ok, "a..b" ]\n'),
      'c.yaml:6:20: channels[0].include[1]: "a..b" holds an empty part',
    ],
    [
      'a channel without anything to update',
      channel('    update: { tags: false }\n'),
      'c.yaml:6:5: channels[0].update: the channel updates nothing\n  → set descriptions, tags or owners to true',
    ],
    [
      'a policy that comes later',
      channel('    onDrift: keep-source\n'),
      'c.yaml:6:5: channels[0].onDrift: onDrift: keep-source is not available yet\n  → write onDrift: overwrite',
    ],
    ['an unknown policy', channel('    onDrift: overwrit\n'), 'did you mean "overwrite"?'],
    [
      'a sink that is none',
      channel('    sinkService: pg_sales\n'),
      'c.yaml:6:5: channels[0].sinkService: "pg_sales" is no sink',
    ],
    [
      'a sink that is not there',
      channel('    sinkService: ranger\n'),
      'no target has the service "ranger"\n  → add a target',
    ],
    [
      'a channel that can never match',
      channel('    filter: { "==": [ { var: service.name }, pg_salse ] }\n'),
      'c.yaml:5:5: channels[0]: the channel can never match an entity of a configured target (pg_sales)',
    ],
    [
      'a template in a block',
      channel('    template: |\n      COMMENT ON TABLE {schema}.{table}\n        IS {descripton}\n'),
      'c.yaml:8:12: channels[0].template',
    ],
    [
      'a template on one line',
      channel('    template: "COMMENT ON TABLE {tabel} IS {description}"\n'),
      'c.yaml:6:33: channels[0].template',
    ],
    [
      'a template of another aspect',
      channel('    templates:\n      - { aspect: owners, sql: "COMMENT ON TABLE {table} IS {description}" }\n'),
      'c.yaml:7:11: channels[0].templates[0].aspect: the template uses variables of description, so it cannot serve owners',
    ],
    [
      'a template of a deeper level',
      channel('    templates:\n      - { level: table, sql: "COMMENT ON COLUMN {table}.{column} IS {description}" }\n'),
      'the template names a column, which a change of a table does not have\n  → write level: column',
    ],
    [
      'a template of what is not updated',
      channel('    template: ALTER TABLE {table} OWNER TO {owner}\n'),
      'c.yaml:6:5: channels[0].template: the template serves owners, which this channel does not update\n  → set update.owners to true',
    ],
    [
      'an action of another aspect',
      channel('    templates:\n      - { action: add, sql: "COMMENT ON TABLE {table} IS {description}" }\n'),
      'channels[0].templates[0].action: description has no action "add"\n  → write one of: set, clear',
    ],
    [
      'an owner where it is cleared',
      channel(
        '    update: { owners: true }\n    templates:\n      - { action: clear, sql: "ALTER TABLE {table} OWNER TO {owner}" }\n',
      ),
      '{owner} has no value where an owner is cleared',
    ],
    [
      'two templates for the same',
      channel(
        '    templates:\n      - sql: COMMENT ON TABLE {table} IS {description}\n      - { level: table, sql: "COMMENT ON TABLE {table} IS {description}" }\n',
      ),
      'c.yaml:8:9: channels[0].templates[1]: serves the same aspect, level and action as templates[0]',
    ],
    [
      'template and templates',
      channel('    template: SELECT 1\n    templates: [ { sql: SELECT 1 } ]\n'),
      'a channel has either "template" or "templates"',
    ],
  ])('%s', (_, text, expected) => {
    expect(compile(text).text).toContain(expected);
  });

  it('tells all problems at once, each once', () => {
    const { text } = compile(
      `${BOTH}channels:\n  - name: a\n    onDrift: report\n    template: "SELECT {nope}"\n  - name: a\n    filter: 5\n`,
    );
    expect(text.match(/channels\[0\]\.template/g)).toHaveLength(2);
    expect(text).toContain('(for postgres, target pg_sales)');
    expect(text).toContain('(for mysql, target my_shop)');
    expect(text).toContain('onDrift: report is not available yet');
    expect(text).toContain('is configured twice');
    expect(text).toContain('a filter is a JsonLogic object');
  });
});

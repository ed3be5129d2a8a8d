import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import type { Connection } from '../../connectors/contract.ts';
import { clickhouseDialect } from '../../connectors/dialect/clickhouse-dialect.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { WRITING } from '../support/clickhouse-harness.ts';
import { CLICKHOUSE_NAME_PLACES, CLICKHOUSE_TEXT_PLACES } from '../support/clickhouse-places.ts';
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse-server.ts';
import { ClickhouseZoo, type Wish } from '../support/clickhouse-zoo.ts';
import { hostileName, hostileText, refusedText, type TestPlace } from '../support/hostile-text.ts';

const SEED = 20_261_130;
const PASSWORD = 'of the property tests';

let server: ClickhouseServer;
let connection: Connection;

beforeAll(async () => {
  // An account that may write everywhere: what stays untouched does so because no statement names it.
  server = await startClickhouse({
    accounts: [{ user: 'backflow', password: PASSWORD, grants: [`${WRITING}, DROP TABLE ON *.*`] }],
  });
  const config = clickhouseConnector.spec.config.parse({
    username: 'backflow',
    password: PASSWORD,
    hostPort: `${server.host}:${server.port}`,
  });
  connection = await clickhouseConnector.open(config, { lane: 'property', epoch: 1 });
});

afterAll(async () => {
  await connection?.close();
  await server?.stop();
});

interface Run {
  readonly zoo: ClickhouseZoo;
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly coverage: ClassCoverage;
}

/** All tables and their columns, each with another text; every ninth write is a clear. */
async function throughDefaultPlans({ zoo, names, texts, coverage }: Run): Promise<readonly string[]> {
  const objects = names.flatMap((name) => [
    { name, object: zoo.table(name) },
    { name, object: zoo.column(name) },
  ]);
  const wishes = objects.map(({ name, object }, index): Wish => {
    const text = texts[(index * 7) % texts.length];
    if (index % 9 === 8 || text === undefined) return { object, text: undefined, expected: undefined };
    coverage.add('default plan: text', text);
    coverage.add('default plan: name', name);
    return { object, text, expected: text };
  });
  return zoo.fulfil(wishes);
}

function textTemplate(place: TestPlace): string {
  return `ALTER TABLE {schema}.{table} MODIFY COMMENT ${place.fragment}`;
}

async function throughTextPlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, texts, coverage } = run;
  const problems: string[] = [];
  // Texts of one batch lie on different tables.
  for (let start = 0; start < texts.length; start += names.length) {
    const wishes = texts.slice(start, start + names.length).map((text, index): Wish => {
      const object = zoo.table(names[index] ?? '');
      coverage.add(`template, text: ${place.name}`, text);
      const template = rendered(textTemplate(place), object, text);
      return { object, text, expected: place.expected(text), template };
    });
    problems.push(...(await zoo.fulfil(wishes)));
  }
  return problems;
}

async function throughNamePlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, coverage } = run;
  const wishes = names.map((name, index): Wish => {
    coverage.add(`template, name: ${place.name}`, name);
    const source = `ALTER TABLE zoo.${place.fragment} MODIFY COMMENT '{description}'`;
    const template = rendered(source, zoo.table(name), `mark ${index}`);
    return { object: zoo.table(place.expected(name)), text: `mark ${index}`, expected: `mark ${index}`, template };
  });
  return zoo.fulfil(wishes);
}

function rendered(source: string, object: Wish['object'], text: string): readonly string[] {
  const compiled = compileTemplate(source, clickhouseDialect);
  if (!compiled.ok) throw new Error(`${source} does not compile: ${compiled.error[0]?.message}`);
  const statements = renderOperation(compiled.value, { aspect: 'description', object, text });
  if (!statements.ok) throw new Error(`${source} does not render: ${statements.error.message}`);
  return statements.value;
}

function decorated(names: readonly string[]): readonly string[] {
  return CLICKHOUSE_NAME_PLACES.filter(({ taken }) => taken !== undefined).flatMap(({ expected }) =>
    names.map(expected),
  );
}

/** Places that look bare or harmless to a lexer made for other systems, and are not on this one. */
const UNSAFE_PLACES: readonly TestPlace[] = [
  { name: 'Unicode single quotes', place: 'bare', fragment: '‘ {description} ’', expected: (text) => text },
  { name: 'Unicode double quotes', place: 'bare', fragment: '“ {description} ”', expected: (text) => text },
  { name: 'a heredoc with digits', place: 'bare', fragment: '$1$ {description} $1$', expected: (text) => text },
  {
    name: 'a nested comment',
    place: 'bare',
    fragment: "/* a /* b */ {description} /* */ */ 'x'",
    expected: (text) => text,
  },
  { name: 'a # comment', place: 'line-comment', fragment: "'x' # {description}\n", expected: () => 'x' },
  { name: 'hexadecimal digits', place: 'bare', fragment: "X'{description}'", expected: (text) => text },
];

/** The server keeps each byte that is no ASCII letter, digit or `_` as three characters of a file name. */
const possibleNames = hostileName({ max: 56, unit: 'bytes' });

describe('P5 and P6 on ClickHouse', () => {
  const texts = enoughOf(hostileText(), { count: 300, perClass: 105, seed: SEED });
  const names = enoughOf(possibleNames, { count: 220, perClass: 105, seed: SEED + 1 });
  const coverage = new ClassCoverage();
  let run: Run;

  beforeAll(async () => {
    const zoo = new ClickhouseZoo(server.admin, connection);
    await zoo.build([...names, ...decorated(names)]);
    run = { zoo, names, texts, coverage };
  });

  it('writes any text to any name through default plans, and nothing else', async () => {
    expect(await throughDefaultPlans(run)).toEqual([]);
  }, 60_000);

  it.each(CLICKHOUSE_TEXT_PLACES)(
    'writes any text through a template: $name',
    async (place) => {
      expect(await throughTextPlace(run, place)).toEqual([]);
    },
    60_000,
  );

  it.each(CLICKHOUSE_NAME_PLACES)(
    'finds any name through a template: $name',
    async (place) => {
      expect(await throughNamePlace(run, place)).toEqual([]);
    },
    60_000,
  );

  it('changes one thing per write when written one at a time', async () => {
    for (const [index, name] of names.slice(0, 3).entries()) {
      const text = texts[index] ?? '';
      expect(await run.zoo.fulfil([{ object: run.zoo.column(name), text, expected: text }])).toEqual([]);
    }
  });

  it('has written at least 100 values of each class in each place', () => {
    console.log(`${coverage.total} values\n${coverage.table()}`);
    expect(coverage.least()).toBeGreaterThanOrEqual(100);
  });

  it('refuses only NUL, lone surrogates and length', () => {
    const reasons = new Map<string, number>();
    const count = (reason = 'planned') => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const object = run.zoo.table('any');
    for (const text of texts) count(run.zoo.refusal({ object, text }));
    for (const name of names) count(run.zoo.refusal({ object: run.zoo.column(name), text: 'x' }));
    for (const { text, code } of fc.sample(refusedText(), { numRuns: 200, seed: SEED })) {
      expect(run.zoo.refusal({ object, text })).toBe(code);
      const name = code === 'nul' ? 'a\0b' : 'a\udc00b';
      expect(run.zoo.refusal({ object: run.zoo.table(name), text: 'x' })).toBe(`name-${code}`);
      count(code);
    }
    for (const text of texts.slice(0, 100)) {
      count(run.zoo.refusal({ object, text: text.repeat(65_537) }));
      count(run.zoo.refusal({ object: run.zoo.table(text.repeat(2049)), text: 'x' }));
    }
    console.log('refusals', Object.fromEntries(reasons));
    expect([...reasons.keys()].sort()).toEqual(
      ['description-too-long', 'lone-surrogate', 'name-too-long', 'nul', 'planned'].sort(),
    );
    expect(reasons.get('planned')).toBe(texts.length + names.length);
  });
});

// The broken dialects of `clickhouse-mutants.ts` are noticed in clickhouse-templates.test.ts.
describe('a template for ClickHouse', () => {
  it.each(UNSAFE_PLACES)('has no place for a placeholder: $name', (place) => {
    expect(compileTemplate(textTemplate(place), clickhouseDialect)).toMatchObject({ ok: false });
  });
});

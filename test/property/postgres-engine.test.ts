import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../connectors/contract.ts';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import { plannerFor } from '../../connectors/postgres/plan.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import {
  hostileName,
  hostileText,
  POSTGRES_NAME_PLACES,
  POSTGRES_TEXT_PLACES,
  refusedText,
  type TestPlace,
} from '../support/hostile-text.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { PostgresZoo, type Wish } from '../support/postgres-zoo.ts';
import { POSTGRES_MUTANTS } from './quoting-mutants.ts';

const SEED = 20_261_130;
const BATCH = 180;
const DATABASES = { conforming: 'on', classic: 'off' } as const;

/** Shared by all tests of the file: a server whose two databases read plain literals in the two ways that there are. */
let server: PostgresServer;
const admins = new Map<string, pg.Client>();
const connections = new Map<string, Connection>();

beforeAll(async () => {
  server = await startPostgres();
  const root = await connect('postgres');
  for (const [database, mode] of Object.entries(DATABASES)) {
    await root.query(`CREATE DATABASE ${database}`);
    await root.query(`ALTER DATABASE ${database} SET standard_conforming_strings = ${mode}`);
    admins.set(database, await connect(database));
    const config = postgresConnector.spec.config.parse(server.connection(database));
    connections.set(database, await postgresConnector.open(config, { lane: `property/${database}`, epoch: 1 }));
  }
  await root.end();
});

afterAll(async () => {
  for (const connection of connections.values()) await connection.close();
  for (const admin of admins.values()) await admin.end();
  await server.stop();
});

async function connect(database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url(database) });
  await client.connect();
  return client;
}

function zooIn(database: string, dialect: Dialect): PostgresZoo {
  const [admin, connection] = [admins.get(database), connections.get(database)];
  if (admin === undefined || connection === undefined) throw new Error('the server is not up');
  return new PostgresZoo(database, admin, admins, connection, plannerFor(dialect));
}

interface Run {
  readonly zoo: PostgresZoo;
  readonly dialect: Dialect;
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly coverage: ClassCoverage;
}

async function inBatches(zoo: PostgresZoo, wishes: readonly Wish[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let start = 0; start < wishes.length; start += BATCH) {
    problems.push(...(await zoo.fulfil(wishes.slice(start, start + BATCH))));
  }
  return problems;
}

/** Rounds over all tables and columns, each with another text; every ninth write is a clear. */
async function throughDefaultPlans({ zoo, names, texts, coverage }: Run, rounds: number): Promise<readonly string[]> {
  const problems: string[] = [];
  const objects = names.flatMap((name) => [
    { name, object: zoo.table(name) },
    { name, object: zoo.column(name) },
  ]);
  for (let round = 0; round < rounds; round += 1) {
    const wishes = objects.map(({ name, object }, index): Wish => {
      const text = texts[(index * 7 + round * 31) % texts.length];
      if ((index + round) % 9 === 0 || text === undefined) return { object, text: undefined, expected: undefined };
      coverage.add('default plan: text', text);
      coverage.add('default plan: name', name);
      return { object, text, expected: text };
    });
    problems.push(...(await inBatches(zoo, wishes)));
  }
  return problems;
}

function textTemplate(place: TestPlace): string {
  return `COMMENT ON TABLE {schema}.{table} IS ${place.fragment}`;
}

async function throughTextPlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, texts, coverage } = run;
  const wishes = texts.map((text, index): Wish => {
    // Texts for one batch lie on different tables.
    const object = zoo.table(names[index % names.length] ?? '');
    coverage.add(`template, text: ${place.name}`, text);
    const template = rendered(run.dialect, textTemplate(place), object, text);
    return { object, text, expected: place.expected(text), template };
  });
  return inBatches(zoo, wishes);
}

async function throughNamePlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, coverage } = run;
  const room = 63 - (place.taken ?? 0);
  const fitting = names.filter((name) => Buffer.byteLength(name) <= room);
  const wishes = fitting.map((name, index): Wish => {
    coverage.add(`template, name: ${place.name}`, name);
    const source = `COMMENT ON TABLE zoo.${place.fragment} IS '{description}'`;
    const template = rendered(run.dialect, source, zoo.table(name), `mark ${index}`);
    return { object: zoo.table(place.expected(name)), text: `mark ${index}`, expected: `mark ${index}`, template };
  });
  return inBatches(zoo, wishes);
}

function rendered(dialect: Dialect, source: string, object: Wish['object'], text: string): readonly string[] {
  const compiled = compileTemplate(source, dialect);
  if (!compiled.ok) throw new Error(`${source} does not compile: ${compiled.error[0]?.message}`);
  const statements = renderOperation(compiled.value, { aspect: 'description', object, text });
  if (!statements.ok) throw new Error(`${source} does not render: ${statements.error.message}`);
  return statements.value;
}

function decorated(names: readonly string[]): readonly string[] {
  return POSTGRES_NAME_PLACES.filter(({ taken }) => taken !== undefined).flatMap(({ expected, taken }) =>
    names.filter((name) => Buffer.byteLength(name) <= 63 - (taken ?? 0)).map(expected),
  );
}

describe.each(Object.entries(DATABASES))('P5 and P6 on PostgreSQL: %s, standard_conforming_strings %s', (database) => {
  const amounts = { count: 350, perClass: 110, seed: SEED };
  const texts = enoughOf(hostileText(), amounts);
  const names = enoughOf(hostileName({ max: 56, unit: 'bytes' }), { ...amounts, seed: SEED + 1 });
  const coverage = new ClassCoverage();
  let run: Run;

  beforeAll(async () => {
    const zoo = zooIn(database, postgresDialect);
    await zoo.build([...names, ...decorated(names)]);
    run = { zoo, dialect: postgresDialect, names, texts, coverage };
  });

  it('writes any text to any name through default plans, and nothing else', async () => {
    expect(await throughDefaultPlans(run, 2)).toEqual([]);
  }, 120_000);

  it.each(POSTGRES_TEXT_PLACES)(
    'writes any text through a template: $name',
    async (place) => {
      expect(await throughTextPlace(run, place)).toEqual([]);
    },
    60_000,
  );

  it.each(POSTGRES_NAME_PLACES)(
    'finds any name through a template: $name',
    async (place) => {
      expect(await throughNamePlace(run, place)).toEqual([]);
    },
    60_000,
  );

  it('changes one thing per write when written one at a time', async () => {
    for (const [index, name] of names.slice(0, 10).entries()) {
      const text = texts[index] ?? '';
      expect(await run.zoo.fulfil([{ object: run.zoo.column(name), text, expected: text }])).toEqual([]);
    }
  });

  it('has written at least 100 values of each class in each place', () => {
    console.log(`standard_conforming_strings ${database}: ${coverage.total} values\n${coverage.table()}`);
    expect(coverage.least()).toBeGreaterThanOrEqual(100);
    // Two databases make more than 10,000.
    expect(coverage.total).toBeGreaterThan(5_000);
  });

  it('refuses only NUL, lone surrogates and length', async () => {
    const reasons = new Map<string, number>();
    const count = (reason: string | undefined) =>
      reasons.set(reason ?? 'planned', (reasons.get(reason ?? 'planned') ?? 0) + 1);
    const [first] = names;
    const object = run.zoo.table(first ?? '');
    for (const text of texts) count(run.zoo.refusal({ object, text, expected: text }));
    for (const name of names) count(run.zoo.refusal({ object: run.zoo.column(name), text: 'x', expected: 'x' }));
    for (const { text, code } of fc.sample(refusedText(), { numRuns: 200, seed: SEED })) {
      expect(run.zoo.refusal({ object, text, expected: text })).toBe(code);
      const name = code === 'nul' ? 'a\0b' : 'a\udc00b';
      expect(run.zoo.refusal({ object: run.zoo.table(name), text: 'x', expected: 'x' })).toBe(`name-${code}`);
      count(code);
    }
    for (const text of texts.slice(0, 100)) {
      const long = text.repeat(Math.ceil(65_537 / text.length));
      count(run.zoo.refusal({ object, text: long, expected: long }));
      count(run.zoo.refusal({ object: run.zoo.table(text.repeat(64)), text: 'x', expected: 'x' }));
    }
    console.log('refusals', Object.fromEntries(reasons));
    expect([...reasons.keys()].sort()).toEqual(
      ['description-too-long', 'lone-surrogate', 'name-too-long', 'nul', 'planned'].sort(),
    );
    expect(reasons.get('planned')).toBe(texts.length + names.length);
  });
});

describe('broken quoting', () => {
  const texts = enoughOf(hostileText(), { count: 40, perClass: 8, seed: SEED + 2 });
  const names = enoughOf(hostileName({ max: 56, unit: 'bytes' }), { count: 40, perClass: 8, seed: SEED + 3 });

  /** The whole of the above in small; also what only a wrong dialect accepts. */
  async function problemsOf(dialect: Dialect): Promise<readonly string[]> {
    const zoo = zooIn('conforming', dialect);
    const long = 'x'.repeat(70);
    await zoo.build([...names, ...decorated(names), long.slice(0, 63)]);
    const run: Run = { zoo, dialect, names, texts, coverage: new ClassCoverage() };
    const problems = [...(await throughDefaultPlans(run, 1))];
    for (const place of POSTGRES_TEXT_PLACES) problems.push(...(await attempt(() => throughTextPlace(run, place))));
    for (const place of POSTGRES_NAME_PLACES) problems.push(...(await attempt(() => throughNamePlace(run, place))));
    // What the right dialect refuses must be seen to go wrong on the engine when it is let through.
    const cut: Wish = { object: zoo.table(long), text: 'x', expected: undefined };
    if (zoo.refusal(cut) === undefined) problems.push(...(await zoo.fulfil([cut])));
    const nested: TestPlace = {
      name: 'in a nested comment',
      place: 'bare',
      fragment: '/* a /* b */ {description} /* */ */ NULL',
      expected: (text) => text,
    };
    if (compileTemplate(textTemplate(nested), dialect).ok) {
      problems.push(...(await attempt(() => throughTextPlace(run, nested))));
    }
    return problems;
  }

  async function attempt(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
    try {
      return await work();
    } catch (error) {
      return [String(error)];
    }
  }

  it('is not found in the dialect as it is', async () => {
    expect(await problemsOf(postgresDialect)).toEqual([]);
  }, 60_000);

  it.each(POSTGRES_MUTANTS)(
    'is noticed on the real engine: $name',
    async ({ dialect }) => {
      expect(await problemsOf(dialect)).not.toEqual([]);
    },
    60_000,
  );
});

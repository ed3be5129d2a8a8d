import fc from 'fast-check';
import type { Connection as Admin } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../connectors/contract.ts';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { mysqlDialect } from '../../connectors/dialect/mysql-dialect.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import {
  CHARACTER_CLASSES,
  hostileName,
  hostileText,
  MYSQL_NAME_PLACES,
  MYSQL_TEXT_PLACES,
  refusedText,
  type TestPlace,
} from '../support/hostile-text.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf } from '../support/mysql-harness.ts';
import { MysqlZoo, PLAIN_COLUMNS, possibleName, type Wish, withoutAstral } from '../support/mysql-zoo.ts';
import { MYSQL_MUTANTS } from './quoting-mutants.ts';

const SEED = 20_261_130;

interface Running {
  readonly zoo: MysqlZoo;
  stop(): Promise<void>;
}

/** A server whose own modes differ from those that the connector pins for its session. */
async function start(sqlMode: string): Promise<Running> {
  const server: MariadbServer = await startTestMariadb(`--sql-mode=${sqlMode}`);
  const admin: Admin = await adminOf(server);
  const config = mysqlConnector.spec.config.parse({
    username: server.user,
    password: server.password,
    hostPort: `${server.host}:${server.port}`,
  });
  const connection: Connection = await mysqlConnector.open(config, { lane: 'property', epoch: 1 });
  return {
    zoo: new MysqlZoo(admin, connection),
    async stop() {
      await connection.close();
      await admin.end();
      await server.stop();
    },
  };
}

interface Run {
  readonly zoo: MysqlZoo;
  readonly dialect: Dialect;
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly texting: ClassCoverage;
  readonly naming: ClassCoverage;
}

/** The table, the column of its name and the plain ones, each with another text; every ninth write is a clear. */
async function throughDefaultPlans({ zoo, names, texts, texting, naming }: Run): Promise<readonly string[]> {
  const wishes = names.flatMap((name, row) => {
    const objects = [zoo.table(name), ...[name, ...PLAIN_COLUMNS].map((column) => zoo.column(name, column))];
    return objects.map((object, place): Wish => {
      const text = texts[(row * 7 + place * 31) % texts.length];
      if ((row + place) % 9 === 8 || text === undefined) return { object, text: undefined, expected: undefined };
      texting.add('default plan', text);
      if (place < 2) naming.add('default plan', name);
      return { object, text, expected: withoutAstral(text, '\ufffd') };
    });
  });
  return zoo.fulfil(wishes);
}

function textTemplate(place: TestPlace): string {
  return `ALTER TABLE {schema}.{table} COMMENT ${place.fragment}`;
}

async function throughTextPlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, texts, texting } = run;
  const problems: string[] = [];
  // Texts of one batch lie on different tables.
  for (let start = 0; start < texts.length; start += names.length) {
    const wishes = texts.slice(start, start + names.length).map((text, index): Wish => {
      const object = zoo.table(names[index] ?? '');
      texting.add(`template ${place.name}`, text);
      const template = rendered(run.dialect, textTemplate(place), object, text);
      // In a statement of its own the server itself puts a question mark for what utf8mb3 does not hold.
      return { object, text, expected: withoutAstral(place.expected(text), '?'), template };
    });
    problems.push(...(await zoo.fulfil(wishes)));
  }
  return problems;
}

async function throughNamePlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, naming } = run;
  const wishes = names.map((name, index): Wish => {
    naming.add(`template ${place.name}`, name);
    const source = `ALTER TABLE zoo.${place.fragment} COMMENT '{description}'`;
    const template = rendered(run.dialect, source, zoo.table(name), `mark ${index}`);
    return { object: zoo.table(place.expected(name)), text: `mark ${index}`, expected: `mark ${index}`, template };
  });
  return zoo.fulfil(wishes);
}

function rendered(dialect: Dialect, source: string, object: ObjectRef, text: string): readonly string[] {
  const compiled = compileTemplate(source, dialect);
  if (!compiled.ok) throw new Error(`${source} does not compile: ${compiled.error[0]?.message}`);
  const statements = renderOperation(compiled.value, { aspect: 'description', object, text });
  if (!statements.ok) throw new Error(`${source} does not render: ${statements.error.message}`);
  return statements.value;
}

function decorated(names: readonly string[]): readonly string[] {
  return MYSQL_NAME_PLACES.filter(({ taken }) => taken !== undefined).flatMap(({ expected }) => names.map(expected));
}

const possibleNames = hostileName({ max: 40, unit: 'characters' }).map(possibleName);

describe.each(['ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES'])('P5 and P6 on MariaDB with %s in the server', (sqlMode) => {
  const amounts = { count: 280, perClass: 105, seed: SEED };
  const texts = enoughOf(hostileText(), amounts);
  const names = enoughOf(possibleNames, { count: 210, perClass: 105, seed: SEED + 1 });
  const texting = new ClassCoverage();
  const naming = new ClassCoverage();
  let running: Running;
  let run: Run;

  beforeAll(async () => {
    running = await start(sqlMode);
    await running.zoo.build(names, decorated(names));
    run = { zoo: running.zoo, dialect: mysqlDialect, names, texts, texting, naming };
  });
  afterAll(() => running?.stop());

  it('writes any text to any name through default plans, and nothing else', async () => {
    expect(await throughDefaultPlans(run)).toEqual([]);
  }, 120_000);

  it.each(MYSQL_TEXT_PLACES)(
    'writes any text through a template: $name',
    async (place) => {
      expect(await throughTextPlace(run, place)).toEqual([]);
    },
    60_000,
  );

  it.each(MYSQL_NAME_PLACES)(
    'finds any name through a template: $name',
    async (place) => {
      expect(await throughNamePlace(run, place)).toEqual([]);
    },
    60_000,
  );

  it('changes one thing per write when written one at a time', async () => {
    for (const [index, name] of names.slice(0, 2).entries()) {
      const text = withoutAstral(texts[index] ?? '', '+');
      expect(await run.zoo.fulfil([{ object: run.zoo.column(name, name), text, expected: text }])).toEqual([]);
    }
  });

  it('has written at least 100 values of each class in each place', () => {
    const total = texting.total + naming.total;
    console.log(
      `${sqlMode}: ${total} values\n\ntexts\n${texting.table()}\n\nnames (beyond U+FFFF there are none)\n${naming.table()}`,
    );
    expect(texting.least()).toBeGreaterThanOrEqual(100);
    expect(naming.least(CHARACTER_CLASSES.filter((one) => one !== 'astral'))).toBeGreaterThanOrEqual(100);
    // Two servers make more than 10,000.
    expect(total).toBeGreaterThan(5_000);
  });

  it('refuses only NUL, lone surrogates and length', () => {
    const reasons = new Map<string, number>();
    const count = (reason = 'planned') => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const object = run.zoo.table('any');
    for (const text of texts) count(run.zoo.refusal({ object, text }));
    for (const name of names) count(run.zoo.refusal({ object: run.zoo.column(name, name), text: 'x' }));
    for (const { text, code } of fc.sample(refusedText(), { numRuns: 200, seed: SEED })) {
      expect(run.zoo.refusal({ object, text })).toBe(code);
      const name = code === 'nul' ? 'a\0b' : 'a\udc00b';
      expect(run.zoo.refusal({ object: run.zoo.table(name), text: 'x' })).toBe(`name-${code}`);
      count(code);
    }
    for (const text of texts.slice(0, 100)) {
      count(run.zoo.refusal({ object, text: text.repeat(2049) }));
      count(run.zoo.refusal({ object: run.zoo.table(text.repeat(65)), text: 'x' }));
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
  const names = enoughOf(possibleNames, { count: 40, perClass: 8, seed: SEED + 3 });
  let running: Running;
  beforeAll(async () => {
    running = await start('ANSI_QUOTES,NO_BACKSLASH_ESCAPES');
  });
  afterAll(() => running?.stop());

  /** The templates of the above in small; also what only a wrong dialect accepts. */
  async function problemsOf(dialect: Dialect): Promise<readonly string[]> {
    const { zoo } = running;
    const coverage = new ClassCoverage();
    await zoo.build(names, decorated(names));
    const run: Run = { zoo, dialect, names, texts, texting: coverage, naming: coverage };
    const problems: string[] = [];
    for (const place of MYSQL_TEXT_PLACES) problems.push(...(await attempt(() => throughTextPlace(run, place))));
    for (const place of MYSQL_NAME_PLACES) problems.push(...(await attempt(() => throughNamePlace(run, place))));
    // What the right dialect refuses must be seen to go wrong on the engine when it is let through.
    if (dialect.quoteIdentifier('x'.repeat(70)).ok) {
      const long: Run = { ...run, names: ['x'.repeat(70)] };
      for (const place of MYSQL_NAME_PLACES.slice(0, 1))
        problems.push(...(await attempt(() => throughNamePlace(long, place))));
    }
    const commented: TestPlace = {
      name: 'in a # comment',
      place: 'bare',
      fragment: "'x' # {description}\n, COMMENT 'y'",
      expected: () => 'y',
    };
    if (compileTemplate(textTemplate(commented), dialect).ok) {
      problems.push(...(await attempt(() => throughTextPlace(run, commented))));
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
    expect(await problemsOf(mysqlDialect)).toEqual([]);
  }, 60_000);

  it.each(MYSQL_MUTANTS)(
    'is noticed on the real engine: $name',
    async ({ dialect }) => {
      expect(await problemsOf(dialect)).not.toEqual([]);
    },
    60_000,
  );
});

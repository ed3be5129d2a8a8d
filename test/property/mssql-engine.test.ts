import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { dialectFromTable } from '../../connectors/dialect/dialect-from-table.ts';
import { mssqlDialect, mssqlTable } from '../../connectors/dialect/mssql-dialect.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import type { Operation } from '../../src/domain/operation.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { hostileName, hostileText, refusedText, type TestPlace } from '../support/hostile-text.ts';
import { parseBatch } from '../support/mssql-parser.ts';
import { MSSQL_NAME_PLACES, MSSQL_TEXT_PLACES } from '../support/mssql-places.ts';
import { distinct, MssqlZoo, type Wish, zooColumn, zooTable } from '../support/mssql-zoo.ts';

const SEED = 20_261_130;
const BATCH = 50;

const LEVELS = "@level0type = N'SCHEMA', @level0name = {schema}, @level1type = N'TABLE', @level1name = ";

/** Names that fit with what stands around them in every place. */
function hostileNames(amounts: Parameters<typeof enoughOf>[1]): readonly string[] {
  return distinct(enoughOf(hostileName({ max: 60, unit: 'characters' }), amounts));
}

function rendered(dialect: Dialect, source: string, operation: Operation): readonly string[] {
  const compiled = compileTemplate(source, dialect);
  if (!compiled.ok) throw new Error(`${source} does not compile: ${compiled.error[0]?.message}`);
  const statements = renderOperation(compiled.value, operation);
  if (!statements.ok) throw new Error(`${source} does not render: ${statements.error.message}`);
  return statements.value;
}

interface Run {
  readonly zoo: MssqlZoo;
  readonly dialect: Dialect;
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** What the strict reader of the peer understood, and what went over the wire into the model. */
  readonly coverage: ClassCoverage;
}

/** One value in so many goes over the wire as well, before the eyes on the whole server. */
const ON_THE_WIRE = 6;

function sample<T>(values: readonly T[]): readonly T[] {
  return values.filter((_, index) => index % ON_THE_WIRE === 0);
}

async function inBatches(zoo: MssqlZoo, wishes: readonly Wish[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let start = 0; start < wishes.length; start += BATCH) {
    problems.push(...(await zoo.fulfil(wishes.slice(start, start + BATCH))));
  }
  return problems;
}

/** Makes sure that there is a property to update, so that templates need no IF. */
async function describeAll({ zoo, names }: Run): Promise<readonly string[]> {
  const wishes = [...names, ...decorated(sample(names))].map(
    (name): Wish => ({
      operation: { aspect: 'description', object: zooTable(name), text: 'first' },
      expected: 'first',
    }),
  );
  return inBatches(zoo, wishes);
}

/** What the peer's reader makes of the statements: the arguments of exactly one call. */
function argumentsOf(statements: readonly string[]): readonly string[] {
  const [statement, ...more] = statements.flatMap(parseBatch);
  if (statement?.kind !== 'call' || more.length > 0) throw new Error(`not one call: ${statements.join('; ')}`);
  const args = statement.args.map(({ name, value }) => `${name} ${value.kind === 'text' ? value.value : value.kind}`);
  return [statement.procedure, ...args];
}

function call(text: string, table: string): readonly string[] {
  const levels = ['@level0type SCHEMA', '@level0name zoo', '@level1type TABLE', `@level1name ${table}`];
  return ['sys.sp_updateextendedproperty', '@name MS_Description', `@value ${text}`, ...levels];
}

function misread(wishes: readonly (Wish & { readonly call: readonly string[] })[]): readonly string[] {
  return wishes.flatMap(({ template = [], call: expected }) => {
    const read = argumentsOf(template);
    return JSON.stringify(read) === JSON.stringify(expected) ? [] : [`${JSON.stringify(read)} for ${template.join()}`];
  });
}

async function throughTextPlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const source = `EXEC sys.sp_updateextendedproperty @name = N'MS_Description', @value = ${place.fragment}, ${LEVELS}{table}`;
  const wishes = run.texts.map((text, index) => {
    const table = run.names[index % run.names.length] ?? '';
    const operation: Operation = { aspect: 'description', object: zooTable(table), text };
    run.coverage.add(`template, text: ${place.name}`, text);
    const expected = place.expected(text);
    return { operation, expected, template: rendered(run.dialect, source, operation), call: call(expected, table) };
  });
  return [...misread(wishes), ...(await inBatches(run.zoo, sample(wishes)))];
}

async function throughNamePlace(run: Run, place: TestPlace): Promise<readonly string[]> {
  const source = `EXEC sys.sp_updateextendedproperty @name = N'MS_Description', @value = {description}, ${LEVELS}${place.fragment}`;
  const wishes = run.names.map((name, index) => {
    const text = `mark ${index}`;
    const operation: Operation = { aspect: 'description', object: zooTable(name), text };
    run.coverage.add(`template, name: ${place.name}`, name);
    const [template, table] = [rendered(run.dialect, source, operation), place.expected(name)];
    return { operation, expected: text, template, at: zooTable(table), call: call(text, table) };
  });
  return [...misread(wishes), ...(await inBatches(run.zoo, sample(wishes)))];
}

function decorated(names: readonly string[]): readonly string[] {
  return MSSQL_NAME_PLACES.filter(({ taken }) => taken !== undefined).flatMap(({ expected }) => names.map(expected));
}

describe('P5 and P6 on SQL Server', () => {
  const amounts = { count: 240, perClass: 105, seed: SEED };
  const texts = enoughOf(hostileText(), amounts);
  const names = hostileNames({ count: 260, perClass: 118, seed: SEED + 1 });
  const coverage = new ClassCoverage();
  let run: Run;

  beforeAll(async () => {
    const zoo = await MssqlZoo.open(distinct([...names, ...decorated(sample(names))]), distinct(names));
    run = { zoo, dialect: mssqlDialect, names, texts, coverage };
    expect(await describeAll(run)).toEqual([]);
  });

  afterAll(() => run.zoo.close());

  it('writes any text to any name through default plans, and nothing else', async () => {
    const wishes = names.flatMap((name, index) =>
      [zooTable(name), zooColumn(name)].map((object, side): Wish => {
        // Columns only: the templates after this update what stands on the tables.
        const text = side === 1 && index % 5 === 0 ? undefined : texts[(index * 7 + side * 31) % texts.length];
        if (text !== undefined) {
          coverage.add('default plan: text', text);
          coverage.add('default plan: name', name);
        }
        return { operation: { aspect: 'description', object, text }, expected: text };
      }),
    );
    expect(await inBatches(run.zoo, wishes)).toEqual([]);
  }, 120_000);

  it('writes any key and value of a tag', async () => {
    const keys = texts.filter((text) => text.length <= 124);
    const values = texts.filter((text) => !text.includes('\n'));
    const wishes = names.map((name, index): Wish => {
      const tag = { key: keys[index % keys.length] ?? '', value: values[(index * 3) % values.length] ?? '' };
      coverage.add('tag: key', tag.key);
      return {
        operation: { aspect: 'tags', object: zooColumn(name), desired: [tag], added: [tag], unset: [] },
        expected: `${tag.key}=${tag.value}`,
      };
    });
    for (let start = 0; start < wishes.length; start += BATCH) {
      expect(await run.zoo.fulfil(wishes.slice(start, start + BATCH))).toEqual([]);
    }
  }, 120_000);

  it('gives any table to a principal of any name', async () => {
    const principals = names.filter((name) => !['dbo', 'public'].includes(name.toLowerCase()));
    const wishes = principals.map((name, index): Wish => {
      const principal = principals[(index + 1) % principals.length] ?? '';
      coverage.add('owner: table and principal', name);
      return { operation: { aspect: 'owners', object: zooTable(name), principal }, expected: principal };
    });
    expect(await inBatches(run.zoo, wishes)).toEqual([]);
  }, 120_000);

  it.each(MSSQL_TEXT_PLACES)(
    'writes any text through a template: $name',
    async (place) => {
      expect(await throughTextPlace(run, place)).toEqual([]);
    },
    120_000,
  );

  it.each(MSSQL_NAME_PLACES)(
    'finds any name through a template: $name',
    async (place) => {
      expect(await throughNamePlace(run, place)).toEqual([]);
    },
    120_000,
  );

  it('shows statements that do the same when they are run by hand', () => {
    for (const [index, text] of texts.entries()) {
      const name = names[index % names.length] ?? '';
      const operation: Operation = { aspect: 'description', object: zooColumn(name), text };
      const planned = mssqlConnector.plan(operation, { exists: true, kind: 'table' }, {});
      if (!planned.ok) throw new Error(planned.error.failure.code);
      coverage.add('shown: text', text);
      const [procedure, ...args] = argumentsOf(planned.value.statements);
      expect(procedure).toBe('sys.sp_addextendedproperty');
      expect(args.slice(1, 2)).toEqual([`@value ${text}`]);
      expect(args.slice(-2)).toEqual(['@level2type COLUMN', `@level2name ${name}`]);
    }
  });

  it('has written at least 100 values of each class in each place', () => {
    console.log(`SQL Server: ${coverage.total} values\n${coverage.table()}`);
    expect(coverage.least()).toBeGreaterThanOrEqual(100);
    expect(coverage.total).toBeGreaterThan(3_000);
  });

  it('refuses only NUL, lone surrogates, length, and in a tag the break between values', () => {
    const reasons = new Map<string, number>();
    const reasonOf = (operation: Operation) => {
      const planned = mssqlConnector.plan(operation, { exists: true, kind: 'table' }, { overlong: 'refuse' });
      const reason = planned.ok ? 'planned' : planned.error.failure.code;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return reason;
    };
    const describeAs = (text: string, table = 'any') =>
      reasonOf({ aspect: 'description', object: zooTable(table), text });
    const tagAs = (key: string, value: string) =>
      reasonOf({ aspect: 'tags', object: zooTable('any'), desired: [{ key, value }], added: [], unset: [] });
    for (const text of texts) {
      expect(describeAs(text)).toBe('planned');
      if (text.length <= 124) expect(tagAs(text, 'x')).toBe('planned');
      expect(tagAs('x', text)).toBe(text.includes('\n') ? 'tag-value' : 'planned');
    }
    for (const name of names) expect(describeAs('x', name)).toBe('planned');
    for (const { text, code } of fc.sample(refusedText(), { numRuns: 200, seed: SEED })) {
      expect(describeAs(text)).toBe(code);
      expect(tagAs('x', text)).toBe(`tag-${code}`);
      expect(describeAs('x', `a${text}`)).toBe(`name-${code}`);
    }
    for (const text of texts.slice(0, 100)) {
      expect(describeAs(text.repeat(Math.ceil(3751 / text.length)))).toBe('description-too-long');
      expect(describeAs('x', text.repeat(Math.ceil(129 / text.length)))).toBe('name-too-long');
      expect(tagAs(`k${text.repeat(Math.ceil(124 / text.length))}`, 'x')).toBe('tag-key-too-long');
    }
    console.log('refusals', Object.fromEntries(reasons));
  });
});

describe('broken quoting', () => {
  const texts = enoughOf(hostileText(), { count: 30, perClass: 6, seed: SEED + 2 });
  const names = hostileNames({ count: 30, perClass: 6, seed: SEED + 3 });
  const base = dialectFromTable(mssqlTable);
  const long = '😀x'.repeat(43);

  /** The whole of the above in small; also what only a wrong dialect accepts. */
  async function problemsOf(dialect: Dialect): Promise<readonly string[]> {
    const all = distinct([...names, ...decorated(sample(names)), long.slice(0, 128)]);
    const zoo = await MssqlZoo.open(all, []);
    const run: Run = { zoo, dialect, names, texts, coverage: new ClassCoverage() };
    const problems = [...(await describeAll(run))];
    const attempt = async (work: () => Promise<readonly string[]>) => {
      try {
        problems.push(...(await work()));
      } catch (error) {
        problems.push(String(error));
      }
    };
    const works = [
      ...MSSQL_TEXT_PLACES.map((place) => () => throughTextPlace(run, place)),
      ...MSSQL_NAME_PLACES.map((place) => () => throughNamePlace(run, place)),
    ];
    if (dialect.quoteIdentifier(long).ok) works.push(() => throughNamePlace({ ...run, names: [long] }, bareName));
    // One problem is enough to have noticed.
    for (const work of works) if (problems.length === 0) await attempt(work);
    await zoo.close();
    return problems;
  }

  const bareName: TestPlace = { name: 'bare name', place: 'bare', fragment: '{table}', expected: (value) => value };

  it('is not found in the dialect as it is', async () => {
    expect(await problemsOf(mssqlDialect)).toEqual([]);
  }, 120_000);

  it.each<[string, Dialect]>([
    [
      'no guard against line continuation',
      {
        ...mssqlDialect,
        quoteLiteral: (text) => ({ ok: true, value: `N'${text.replaceAll("'", "''")}'` }),
        escapeInside: (place, text) => base.escapeInside(place, text),
      },
    ],
    [
      'texts in the code page of the database',
      {
        ...mssqlDialect,
        quoteLiteral: (text) => {
          const quoted = mssqlDialect.quoteLiteral(text);
          return quoted.ok ? { ok: true, value: quoted.value.slice(1) } : quoted;
        },
      },
    ],
    [
      'quotes escaped by a backslash',
      {
        ...mssqlDialect,
        escapeInside: (place, text) =>
          place === 'national-string'
            ? { ok: true, value: text.replaceAll("'", "\\'") }
            : mssqlDialect.escapeInside(place, text),
      },
    ],
    ['brackets not doubled', { ...mssqlDialect, quoteIdentifier: (name) => ({ ok: true, value: `[${name}]` }) }],
    ['names counted in code points', { ...mssqlDialect, quoteIdentifier: (name) => base.quoteIdentifier(name) }],
  ])(
    'is noticed: %s',
    async (_, dialect) => {
      expect(await problemsOf(dialect)).not.toEqual([]);
    },
    120_000,
  );
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../connectors/contract.ts';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { trinoDialect } from '../../connectors/dialect/trino-dialect.ts';
import { openTrino } from '../../connectors/trino/connection.ts';
import { trinoSpec } from '../../connectors/trino/spec.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { hostileName, hostileText, refusedText, type TestPlace } from '../support/hostile-text.ts';
import { dumpTrinoModel } from '../support/trino-harness.ts';
import { TRINO_MUTANTS } from '../support/trino-mutants.ts';
import {
  distinctNames,
  type QuotingRun,
  TRINO_NAME_PLACES,
  TRINO_TEXT_PLACES,
  tablesFor,
  throughDefaultPlans,
  throughNamePlace,
  throughTextPlace,
} from '../support/trino-quoting.ts';
import { startTrinoServer, type TrinoServer } from '../support/trino-server.ts';
import { TrinoZoo, type ZooPlace } from '../support/trino-zoo.ts';

const SEED = 20_261_130;
const BATCH = 200;

let server: TrinoServer;
let connection: Connection;

beforeAll(async () => {
  server = await startTrinoServer({ idle: true });
  const config = trinoSpec.config.parse({ username: 'backflow', hostPort: `127.0.0.1:${server.port}` });
  connection = await openTrino(config, { lane: 'property', epoch: 1 });
});

afterAll(async () => {
  await connection.close();
  await server.stop();
});

const modelPlace: ZooPlace = {
  async build(names) {
    server.model.catalogs.clear();
    server.model.addTable(['memory', 'zoo', 'canary'], ['id']).comment = 'sings';
    for (const name of names) server.model.addTable(['memory', 'zoo', name], [name, 'other']);
  },
  dump: async () => dumpTrinoModel(server.model),
};

describe('P5 and P6 on Trino (a strict parser of its grammar)', () => {
  const amounts = { count: 300, perClass: 105, seed: SEED };
  const texts = enoughOf(hostileText(), amounts);
  const names = distinctNames(enoughOf(hostileName({ max: 100, unit: 'characters' }), { ...amounts, seed: SEED + 1 }));
  const coverage = new ClassCoverage();
  let run: QuotingRun;

  beforeAll(async () => {
    const zoo = new TrinoZoo(modelPlace, connection, trinoDialect);
    await zoo.build(tablesFor(names));
    run = { zoo, dialect: trinoDialect, names, texts, coverage, batch: BATCH };
  });

  it('writes any text to any name through default plans, and nothing else', async () => {
    expect(await throughDefaultPlans(run, 1)).toEqual([]);
  }, 120_000);

  it.each(TRINO_TEXT_PLACES)('writes any text through a template: $name', async (place) => {
    expect(await throughTextPlace(run, place)).toEqual([]);
  });

  it.each(TRINO_NAME_PLACES)('finds any name through a template: $name', async (place) => {
    expect(await throughNamePlace(run, place)).toEqual([]);
  });

  it('has written at least 100 values of each class in each place', () => {
    console.log(`Trino (model): ${coverage.total} values\n${coverage.table()}`);
    expect(coverage.least()).toBeGreaterThanOrEqual(100);
    expect(coverage.total).toBeGreaterThan(2_500);
  });

  it('refuses only NUL, lone surrogates and length', () => {
    const reasons = new Map<string, number>();
    const count = (reason = 'planned') => reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const object = run.zoo.table(names[0] ?? '');
    for (const text of texts) count(run.zoo.refusal({ object, text }));
    for (const name of names) count(run.zoo.refusal({ object: run.zoo.column(name), text: 'x' }));
    for (const { text, code } of fc.sample(refusedText(), { numRuns: 200, seed: SEED })) {
      expect(run.zoo.refusal({ object, text })).toBe(code);
      const name = code === 'nul' ? 'a\0b' : 'a\udc00b';
      expect(run.zoo.refusal({ object: run.zoo.table(name), text: 'x' })).toBe(`name-${code}`);
      count(code);
    }
    for (const text of texts.slice(0, 100)) {
      count(run.zoo.refusal({ object, text: text.repeat(Math.ceil(65_537 / text.length)) }));
      count(run.zoo.refusal({ object: run.zoo.table(text.repeat(1025)), text: 'x' }));
    }
    console.log('refusals', Object.fromEntries(reasons));
    expect([...reasons.keys()].sort()).toEqual(
      ['description-too-long', 'lone-surrogate', 'name-too-long', 'nul', 'planned'].sort(),
    );
    expect(reasons.get('planned')).toBe(texts.length + names.length);
  });
});

describe('broken quoting', () => {
  const texts = enoughOf(hostileText(), { count: 30, perClass: 6, seed: SEED + 2 });
  const names = distinctNames(
    enoughOf(hostileName({ max: 56, unit: 'characters' }), { count: 30, perClass: 6, seed: SEED + 3 }),
  );

  /** The whole of the above in small; also what only a wrong dialect accepts. */
  async function problemsOf(dialect: Dialect): Promise<readonly string[]> {
    const zoo = new TrinoZoo(modelPlace, connection, dialect);
    await zoo.build(tablesFor(names));
    const run: QuotingRun = { zoo, dialect, names, texts, coverage: new ClassCoverage(), batch: 40 };
    const problems = [...(await throughDefaultPlans(run, 1))];
    for (const place of TRINO_TEXT_PLACES) problems.push(...(await attempt(() => throughTextPlace(run, place))));
    for (const place of TRINO_NAME_PLACES) problems.push(...(await attempt(() => throughNamePlace(run, place))));
    // Block comments do not nest: the literal stands outside of one.
    const afterComment: TestPlace = {
      name: 'after a comment',
      place: 'string',
      fragment: "/* a /* b */ '{description}'",
      expected: (text) => text,
    };
    problems.push(...(await attempt(() => throughTextPlace(run, afterComment))));
    // What the right dialect refuses must be seen to go wrong when it is let through.
    const unicode: TestPlace = { ...afterComment, name: 'U&', fragment: "U&'{description}'" };
    if (compileTemplate(`COMMENT ON TABLE {table} IS ${unicode.fragment}`, dialect).ok) {
      problems.push(...(await attempt(() => throughTextPlace(run, unicode))));
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
    expect(await problemsOf(trinoDialect)).toEqual([]);
  });

  it.each(TRINO_MUTANTS)('is noticed: $name', async ({ dialect }) => {
    expect(await problemsOf(dialect)).not.toEqual([]);
  });
});

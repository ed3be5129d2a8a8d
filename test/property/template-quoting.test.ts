import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mysqlDialect } from '../../connectors/dialect/mysql-dialect.ts';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import { CHARACTER_CLASSES, classesOf, hostileText, refusedText } from '../support/hostile-text.ts';
import { compiled, HARMLESS, quotingChecks, type TemplateTally } from '../support/quoting-checks.ts';
import { mysqlOracle, postgresOracle } from '../support/quoting-oracle.ts';
import { MYSQL_MUTANTS, POSTGRES_MUTANTS } from './quoting-mutants.ts';

const ENGINES = [
  { engine: 'PostgreSQL', dialect: postgresDialect, oracle: await postgresOracle(), mutants: POSTGRES_MUTANTS },
  { engine: 'MySQL', dialect: mysqlDialect, oracle: mysqlOracle(), mutants: MYSQL_MUTANTS },
];

describe.each(ENGINES)('P5 for $engine', ({ dialect, oracle, mutants }) => {
  const tally: TemplateTally = { refused: 0, notSql: 0, checked: 0 };
  const checks = quotingChecks(oracle, dialect, tally);

  it.each(checks.filter((check) => check.perPlace))('$name', ({ property }) => {
    fc.assert(property, { numRuns: 1500 });
  });

  it.each(checks.filter((check) => !check.perPlace))('$name', ({ property }) => {
    fc.assert(property, { numRuns: 20_000 });
    expect(tally.checked, JSON.stringify(tally)).toBeGreaterThan(1500);
  });

  it.each(mutants)('notices that $name', ({ dialect: mutant }) => {
    const mutantChecks = quotingChecks(oracle, mutant, { refused: 0, notSql: 0, checked: 0 });
    const noticed = mutantChecks.filter(
      ({ property }) => fc.check(property, { numRuns: 4000, endOnFailure: true }).failed,
    );
    expect(noticed.map((check) => check.name)).not.toEqual([]);
  });

  const fragments = [
    ...oracle.textPlaces.map((place) => ({ name: place.name, source: oracle.textTemplate(place.fragment) })),
    ...oracle.namePlaces.map((place) => ({ name: place.name, source: oracle.nameTemplate(place.fragment) })),
  ];
  it.each(fragments)('refuses NUL and lone surrogates in the place $name, and says where', ({ source }) => {
    const template = compiled(source, dialect);
    const column = /\{(?:description|table)\}/.exec(source.replaceAll('{{', '  '))?.index ?? -1;
    fc.assert(
      fc.property(refusedText(), ({ text, code }) => {
        const rendered = template.render({ ...HARMLESS, description: text, table: text });
        expect(rendered).toMatchObject({
          ok: false,
          error: {
            line: 1,
            column: column + 1,
            message: expect.stringContaining(code === 'nul' ? 'NUL' : 'surrogate'),
          },
        });
      }),
      { numRuns: 200 },
    );
  });
});

describe('hostileText', () => {
  it('is dense in every class of character', () => {
    const counts = new Map<string, number>();
    for (const text of fc.sample(hostileText(), { numRuns: 2000, seed: 1 })) {
      for (const name of classesOf(text)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const name of CHARACTER_CLASSES) expect(counts.get(name) ?? 0, name).toBeGreaterThan(200);
  });
});

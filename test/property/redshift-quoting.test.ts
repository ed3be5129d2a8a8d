import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { redshiftDialect, redshiftDialectFrom, redshiftTable } from '../../connectors/dialect/redshift-dialect.ts';
import { ok } from '../../src/domain/result.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { hostileName, hostileText, refusedText } from '../support/hostile-text.ts';
import { compiled, HARMLESS, quotingChecks, type TemplateTally } from '../support/quoting-checks.ts';
import { REDSHIFT_NAME_PLACES, REDSHIFT_TEXT_PLACES, redshiftOracle } from '../support/redshift-oracle.ts';

const SEED = 20_261_130;
const oracle = redshiftOracle();

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

describe('P5 for Redshift, whichever way it reads backslashes', () => {
  const tally: TemplateTally = { refused: 0, notSql: 0, checked: 0 };
  const checks = quotingChecks(oracle, redshiftDialect, tally);

  it.each(checks.filter(({ perPlace }) => perPlace))('$name', ({ property }) => {
    fc.assert(property, { numRuns: 1000, seed: SEED });
  });

  it.each(checks.filter(({ perPlace }) => !perPlace))('$name', ({ property }) => {
    fc.assert(property, { numRuns: 8000, seed: SEED });
    expect(tally.checked, JSON.stringify(tally)).toBeGreaterThan(500);
  });

  it('reads at least 100 values of each class in each place back as they were', () => {
    const coverage = new ClassCoverage();
    const limit = redshiftDialect.identifier;
    for (const [index, place] of [...REDSHIFT_TEXT_PLACES, ...REDSHIFT_NAME_PLACES].entries()) {
      const isName = place.fragment.includes('{table}');
      const values = isName ? hostileName({ ...limit, max: limit.max - (place.taken ?? 0) }) : hostileText();
      const source = isName ? oracle.nameTemplate(place.fragment) : oracle.textTemplate(place.fragment);
      const template = compiled(source, redshiftDialect);
      for (const value of enoughOf(values, { count: 400, perClass: 100, seed: SEED + index })) {
        const rendered = template.render({ ...HARMLESS, [isName ? 'table' : 'description']: value });
        const [sql = ''] = rendered.ok ? rendered.value : [];
        expect(isName ? oracle.readName(sql) : oracle.readText(sql)).toBe(place.expected(value));
        coverage.add(`${isName ? 'name' : 'text'}: ${place.name}`, value);
      }
    }
    console.log(`${coverage.total} values\n${coverage.table()}`);
    expect(coverage.least()).toBeGreaterThanOrEqual(100);
  });

  it('refuses NUL, lone surrogates and length, and nothing else', () => {
    fc.assert(
      fc.property(refusedText(), hostileText(), ({ text, code }, fine) => {
        expect(redshiftDialect.quoteLiteral(text)).toMatchObject({ error: { code } });
        expect(redshiftDialect.quoteIdentifier(text)).toMatchObject({ error: { code } });
        expect(redshiftDialect.quoteLiteral(fine).ok).toBe(true);
      }),
    );
    fc.assert(
      fc.property(hostileName({ max: 254, unit: 'bytes' }), (name) => {
        const quoted = redshiftDialect.quoteIdentifier(name);
        expect(quoted.ok ? 'ok' : quoted.error.code).toBe(Buffer.byteLength(name) > 127 ? 'too-long' : 'ok');
      }),
    );
  });

  it.each([
    ["COMMENT ON TABLE t IS 'a\\b {description}'", 25, 'write the text between $$ and $$'],
    ["INSERT INTO x VALUES ('\\', '{description}')", 24, 'write the text between $$ and $$'],
    ["COMMENT ON TABLE t IS E'{description}'", 25, 'does not document'],
    ['COMMENT ON TABLE t IS E{description}', 24, 'does not document'],
    ['COMMENT ON TABLE U&"{table}" IS NULL', 21, 'does not document'],
  ])('refuses the template %s, and says where and why', (source, column, words) => {
    const compiledTemplate = compileTemplate(source, redshiftDialect);
    expect(compiledTemplate).toMatchObject({
      ok: false,
      error: [{ line: 1, column, message: expect.stringContaining(words) }],
    });
  });
});

/** Quotes with one rule broken. */
const MUTANTS: readonly { readonly name: string; readonly dialect: Dialect }[] = [
  {
    name: 'a backslash stands between single quotes',
    dialect: {
      ...redshiftDialect,
      quoteLiteral: (text) => ok(`'${text.replaceAll("'", "''")}'`),
    },
  },
  {
    name: 'a backslash is doubled, as for one of the two readings',
    dialect: {
      ...redshiftDialect,
      quoteLiteral: (text) => ok(`'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`),
    },
  },
  {
    name: 'the tag of a dollar quote is always the same',
    dialect: { ...redshiftDialect, quoteLiteral: (text) => ok(`$bf$${text}$bf$`) },
  },
  {
    name: 'a fixed backslash between single quotes is accepted',
    dialect: redshiftDialectFrom({
      ...redshiftTable,
      regions: redshiftTable.regions.map(({ backslashUnknown: _, ...region }) => region),
    }),
  },
  {
    name: 'a placeholder in a nested comment is accepted',
    dialect: redshiftDialectFrom({
      ...redshiftTable,
      regions: redshiftTable.regions.map((region) => ({ ...region, nested: false })),
    }),
  },
  {
    name: 'a name that the engine would cut is accepted',
    dialect: redshiftDialectFrom({ ...redshiftTable, identifier: { max: 160, unit: 'bytes' } }),
  },
  {
    name: 'the quote of an identifier is not doubled',
    dialect: { ...redshiftDialect, quoteIdentifier: (name) => ok(`"${name}"`) },
  },
];

describe('broken quoting for Redshift', () => {
  it.each(MUTANTS)('is noticed: $name', ({ dialect }) => {
    const problems: string[] = [];
    const tried = quotingChecks(oracle, dialect, { refused: 0, notSql: 0, checked: 0 });
    for (const { property } of tried) {
      if (fc.check(property, { numRuns: 2500, seed: SEED, endOnFailure: true }).failed) return;
    }
    // Texts that end in the beginning of a tag, and fixed text, are too rare to be met by chance.
    for (const text of ['\\$bf$', '\\$bf']) {
      const quoted = dialect.quoteLiteral(text);
      try {
        expect(oracle.readText(oracle.textTemplate(quoted.ok ? quoted.value : ''))).toBe(text);
      } catch (error) {
        problems.push(problemOf(error));
      }
    }
    const long = dialect.quoteIdentifier('x'.repeat(128));
    if (long.ok) problems.push('a name that the engine would cut is accepted');
    const fixed = compileTemplate(oracle.textTemplate("'a\\'' {description}'"), dialect);
    if (fixed.ok) problems.push('a template that means two things is accepted');
    expect(problems).not.toEqual([]);
  });
});

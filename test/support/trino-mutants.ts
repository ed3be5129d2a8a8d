import type { Dialect, Place, QuoteRefusal } from '../../connectors/dialect/dialect.ts';
import { dialectFromTable } from '../../connectors/dialect/dialect-from-table.ts';
import { trinoDialect, trinoTable } from '../../connectors/dialect/trino-dialect.ts';
import { ok, type Result } from '../../src/domain/result.ts';

/** Quotes of this place are left as they are. */
function notDoubled(place: Place, quote: string): Dialect {
  const broken = (where: Place, quoted: Result<string, QuoteRefusal>): Result<string, QuoteRefusal> =>
    quoted.ok && where === place ? ok(quoted.value.replaceAll(quote + quote, quote)) : quoted;
  return {
    ...trinoDialect,
    quoteLiteral: (text) => broken('string', trinoDialect.quoteLiteral(text)),
    quoteIdentifier: (name) => broken('double-quoted', trinoDialect.quoteIdentifier(name)),
    escapeInside: (where, text) => broken(where, trinoDialect.escapeInside(where, text)),
  };
}

/** The quoting code with one rule broken. */
export const TRINO_MUTANTS: readonly { readonly name: string; readonly dialect: Dialect }[] = [
  { name: 'a quote is not doubled', dialect: notDoubled('string', "'") },
  { name: 'the quote of an identifier is not doubled', dialect: notDoubled('double-quoted', '"') },
  {
    name: 'a backslash is escaped',
    dialect: dialectFromTable({
      ...trinoTable,
      regions: trinoTable.regions.map((region) =>
        region.place === 'string' ? { ...region, backslash: true } : region,
      ),
    }),
  },
  {
    name: 'block comments are taken to nest',
    dialect: dialectFromTable({
      ...trinoTable,
      regions: trinoTable.regions.map((region) =>
        region.place === 'block-comment' ? { ...region, nested: true } : region,
      ),
    }),
  },
  {
    name: 'a Unicode literal is taken for a plain one',
    dialect: dialectFromTable({
      ...trinoTable,
      regions: trinoTable.regions.map(({ refuse: _, ...region }) => region),
    }),
  },
];

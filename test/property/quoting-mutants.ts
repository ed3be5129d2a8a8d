import type { Dialect, Place, QuoteRefusal } from '../../connectors/dialect/dialect.ts';
import { dialectFromTable } from '../../connectors/dialect/dialect-from-table.ts';
import { mysqlDialect, mysqlTable } from '../../connectors/dialect/mysql-dialect.ts';
import { postgresDialect, postgresTable } from '../../connectors/dialect/postgres-dialect.ts';
import { ok, type Result } from '../../src/domain/result.ts';

/** The quoting code with one rule broken. */
export interface QuotingMutant {
  readonly name: string;
  readonly dialect: Dialect;
}

/** Breaks what was quoted right, in the places named; `string` also stands for `quoteLiteral`, the identifier's for `quoteIdentifier`. */
function spoil(dialect: Dialect, places: readonly Place[], from: string, to: string): Dialect {
  const broken = (place: Place, quoted: Result<string, QuoteRefusal>): Result<string, QuoteRefusal> =>
    quoted.ok && places.includes(place) ? ok(quoted.value.replaceAll(from, to)) : quoted;
  const identifier: Place = dialect.doubleQuoted === 'identifier' ? 'double-quoted' : 'backquoted';
  return {
    ...dialect,
    quoteLiteral: (text) => broken('string', dialect.quoteLiteral(text)),
    quoteIdentifier: (name) => broken(identifier, dialect.quoteIdentifier(name)),
    escapeInside: (place, text) => broken(place, dialect.escapeInside(place, text)),
  };
}

const STRINGS: readonly Place[] = ['string', 'escape-string', 'national-string'];

export const POSTGRES_MUTANTS: readonly QuotingMutant[] = [
  { name: 'a quote is not doubled', dialect: spoil(postgresDialect, STRINGS, "''", "'") },
  { name: 'a backslash is not escaped', dialect: spoil(postgresDialect, ['escape-string'], '\\\\', '\\') },
  { name: 'the quote of an identifier is not doubled', dialect: spoil(postgresDialect, ['double-quoted'], '""', '"') },
  {
    name: 'a placeholder in a nested comment is accepted',
    dialect: dialectFromTable({
      ...postgresTable,
      regions: postgresTable.regions.map((region) => ({ ...region, nested: false })),
    }),
  },
  {
    name: 'a name that the engine would cut is accepted',
    dialect: dialectFromTable({ ...postgresTable, identifier: { max: 80, unit: 'bytes' } }),
  },
  {
    name: 'dollar quotes are not known',
    dialect: dialectFromTable({ ...postgresTable, dollarQuoting: false }),
  },
];

export const MYSQL_MUTANTS: readonly QuotingMutant[] = [
  { name: 'a quote is not doubled', dialect: spoil(mysqlDialect, STRINGS, "''", "'") },
  { name: 'a backslash is not escaped', dialect: spoil(mysqlDialect, STRINGS, '\\\\', '\\') },
  { name: 'a double quote is not doubled', dialect: spoil(mysqlDialect, ['double-quoted'], '""', '"') },
  { name: 'the quote of an identifier is not doubled', dialect: spoil(mysqlDialect, ['backquoted'], '``', '`') },
  {
    name: 'a placeholder in a # comment is accepted',
    dialect: dialectFromTable({ ...mysqlTable, regions: mysqlTable.regions.filter((region) => region.open !== '#') }),
  },
  {
    name: 'a name that the engine would refuse is accepted',
    dialect: dialectFromTable({ ...mysqlTable, identifier: { max: 80, unit: 'characters' } }),
  },
];

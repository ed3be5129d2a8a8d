import { clickhouseDialect, clickhouseTable } from '../../connectors/dialect/clickhouse-dialect.ts';
import type { Dialect, Place, Region } from '../../connectors/dialect/dialect.ts';
import { dialectFromTable } from '../../connectors/dialect/dialect-from-table.ts';
import { ok } from '../../src/domain/result.ts';

/** The dialect with some of its regions changed or taken away. */
function withRegions(change: (region: Region) => Region | undefined): Dialect {
  return dialectFromTable({
    ...clickhouseTable,
    regions: clickhouseTable.regions.flatMap((region) => change(region) ?? []),
  });
}

/** Quotes of this place are left as they are. */
function notDoubled(place: Place, quote: string): Dialect {
  const broken = <T extends ReturnType<Dialect['quoteLiteral']>>(
    quoted: T,
    inner: boolean,
  ): T | ReturnType<Dialect['quoteLiteral']> => {
    if (!quoted.ok) return quoted;
    return ok(
      inner
        ? quoted.value.replaceAll(quote + quote, quote)
        : quote + quoted.value.slice(1, -1).replaceAll(quote + quote, quote) + quote,
    );
  };
  return {
    ...clickhouseDialect,
    quoteLiteral: (text) =>
      place === 'string' ? broken(clickhouseDialect.quoteLiteral(text), false) : clickhouseDialect.quoteLiteral(text),
    quoteIdentifier: (name) =>
      place === 'backquoted'
        ? broken(clickhouseDialect.quoteIdentifier(name), false)
        : clickhouseDialect.quoteIdentifier(name),
    escapeInside: (where, text) =>
      where === place
        ? broken(clickhouseDialect.escapeInside(where, text), true)
        : clickhouseDialect.escapeInside(where, text),
  };
}

/** The quoting code with one rule broken. */
export const CLICKHOUSE_MUTANTS: readonly { readonly name: string; readonly dialect: Dialect }[] = [
  { name: 'a quote is not doubled', dialect: notDoubled('string', "'") },
  { name: 'the quote of an identifier is not doubled', dialect: notDoubled('backquoted', '`') },
  { name: 'a double quote is not doubled', dialect: notDoubled('double-quoted', '"') },
  {
    name: 'a backslash of a string is not escaped',
    dialect: withRegions((region) => (region.place === 'string' ? { ...region, backslash: false } : region)),
  },
  {
    name: 'a backslash of an identifier is not escaped',
    dialect: withRegions((region) => (region.place === 'backquoted' ? { ...region, backslash: false } : region)),
  },
  {
    name: 'a placeholder in a nested comment is accepted',
    dialect: withRegions((region) => (region.place === 'block-comment' ? { ...region, nested: false } : region)),
  },
  {
    name: 'a placeholder in a # comment is accepted',
    dialect: withRegions((region) => (region.open === '#' ? undefined : region)),
  },
  { name: 'Unicode quotes are not known', dialect: dialectFromTable({ ...clickhouseTable, plain: /^/ }) },
];

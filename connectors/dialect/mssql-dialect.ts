import { err, ok } from '../../src/domain/result.ts';
import type { Dialect, QuoteRefusal } from './dialect.ts';
import { type DialectTable, dialectFromTable, holdsIdentifier } from './dialect-from-table.ts';

const CODE_PAGE =
  "it is converted to the database's code page, which loses characters or turns them into quotes; write N'…' instead";

/** `sysname`: 128 UTF-16 units; an emoji takes two. Longer variables are cut silently, so such names are refused. */
export const NAME_UNITS = 128;

/**
 * Transact-SQL, true with QUOTED_IDENTIFIER on, as the connector pins it. Block comments nest. A line comment is taken to end at LF
 * only; texts in which a lone CR would make a difference are refused by the connector.
 */
export const mssqlTable: DialectTable = {
  name: 'mssql',
  regions: [
    { place: 'national-string', open: "N'", close: "'", doubling: true, backslash: false },
    { place: 'string', open: "'", close: "'", doubling: true, backslash: false, refuse: CODE_PAGE },
    { place: 'double-quoted', open: '"', close: '"', doubling: true, backslash: false },
    { place: 'bracketed', open: '[', close: ']', doubling: true, backslash: false },
    { place: 'line-comment', open: '--', close: '\n', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false, nested: true },
  ],
  dollarQuoting: false,
  doubleQuoted: 'identifier',
  identifier: { max: NAME_UNITS, unit: 'characters' },
  identifierPlace: 'bracketed',
  trailingComment: true,
};

const base = dialectFromTable(mssqlTable);

function tooLong(name: string): QuoteRefusal | undefined {
  if (name.length <= NAME_UNITS) return undefined;
  const message = `the name has ${name.length} UTF-16 units, the engine allows ${NAME_UNITS}`;
  return { code: 'too-long', message };
}

/**
 * Inside a literal a backslash before a line break takes both away (line continuation). Such a pair of our own, put between a backslash
 * and what could be a break, goes without a trace and keeps the two apart, also where the break belongs to the text around the value.
 */
export function guardContinuations(text: string): string {
  return text.replace(/\\(?=[\r\n]|$)/g, '\\\\\r\n').replace(/^(?=[\r\n])/, '\\\r\n');
}

export const mssqlDialect: Dialect = {
  ...base,
  quoteIdentifier(name) {
    const refusal = tooLong(name);
    return refusal === undefined ? base.quoteIdentifier(name) : err(refusal);
  },
  quoteLiteral(text) {
    const inside = mssqlDialect.escapeInside('national-string', text);
    return inside.ok ? ok(`N'${inside.value}'`) : inside;
  },
  escapeInside(place, text) {
    if (place === 'national-string') {
      const inside = base.escapeInside(place, text);
      return inside.ok ? ok(guardContinuations(inside.value)) : inside;
    }
    const refusal = holdsIdentifier(base, place) ? tooLong(text) : undefined;
    return refusal === undefined ? base.escapeInside(place, text) : err(refusal);
  },
};

import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Dialect, QuoteRefusal } from './dialect.ts';
import { type DialectTable, dialectFromTable, holdsIdentifier } from './dialect-from-table.ts';
import { refuseName } from './refusal.ts';

const OWN_DELIMITERS = 'its text ends at a delimiter of its own, which a value could hold';

/** Bytes of an identifier since 12.2 (30 before); longer ones are refused by the server (ORA-00972). */
export const NAME_BYTES = 128;

/**
 * Oracle Database. No backslash escapes and no modes of the session that literals depend on. A quoted identifier can hold everything but
 * a double quote and NUL, and there is no way to escape one. Block comments do not nest. A line comment is taken to end at LF only;
 * texts in which a lone CR would make a difference are refused by the connector.
 */
export const oracleTable: DialectTable = {
  name: 'oracle',
  regions: [
    { place: 'string', open: "'", close: "'", doubling: true, backslash: false },
    { place: 'national-string', open: "N'", close: "'", doubling: true, backslash: false },
    // Where such a literal ends depends on its first character: as a comment that no template may hold, it cannot be misread.
    { place: 'block-comment', open: "Q'", close: "'", doubling: false, backslash: false, refuse: OWN_DELIMITERS },
    { place: 'block-comment', open: "NQ'", close: "'", doubling: false, backslash: false, refuse: OWN_DELIMITERS },
    { place: 'double-quoted', open: '"', close: '"', doubling: false, backslash: false },
    { place: 'line-comment', open: '--', close: '\n', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false },
  ],
  dollarQuoting: false,
  doubleQuoted: 'identifier',
  identifier: { max: NAME_BYTES, unit: 'bytes' },
  identifierPlace: 'double-quoted',
  trailingComment: true,
  codeStatements: ['begin', 'declare', 'create'],
};

/** What can stand unquoted, in lower case: what ingestion makes of the upper-case names that the dictionary holds. */
const FOLDED = /^[a-z][a-z0-9_$#]*$/;

/** The name that the dictionary most likely has for a name of the catalogue: what the engine makes of it when it stands unquoted. */
export function unfolded(name: string): string {
  return FOLDED.test(name) ? name.toUpperCase() : name;
}

const base = dialectFromTable(oracleTable);

const NO_QUOTE: QuoteRefusal = {
  code: 'not-representable',
  message: 'the name holds a double quote; the engine allows none in a name',
};

/** A quoted name exactly as it is, of at most so many bytes. Names of annotations may be longer than identifiers. */
export function quoteOracleName(name: string, max = NAME_BYTES): Result<string, QuoteRefusal> {
  const refusal = refuseName(name, { max, unit: 'bytes' }) ?? (name.includes('"') ? NO_QUOTE : undefined);
  return refusal === undefined ? ok(`"${name}"`) : err(refusal);
}

export const oracleDialect: Dialect = {
  ...base,
  /** For names of the catalogue: `orders` becomes `"ORDERS"`, as it would mean unquoted. Names of the dictionary need `quoteOracleName`. */
  quoteIdentifier: (name) => quoteOracleName(unfolded(name)),
  escapeInside(place, text) {
    const escaped = base.escapeInside(place, text);
    return escaped.ok && holdsIdentifier(base, place) && text.includes('"') ? err(NO_QUOTE) : escaped;
  },
  /** What stands between ANNOTATIONS and the end: `(ADD OR REPLACE "PII" 'Sensitive')`. */
  tagList(tags) {
    const items: string[] = [];
    for (const { key, value } of tags) {
      const name = quoteOracleName(key);
      if (!name.ok) return name;
      const text = base.quoteLiteral(value);
      if (!text.ok) return text;
      items.push(`ADD OR REPLACE ${name.value} ${text.value}`);
    }
    if (items.length > 0) return ok(`(${items.join(', ')})`);
    return err({ code: 'not-representable', message: 'there is no empty list of annotations' });
  },
};

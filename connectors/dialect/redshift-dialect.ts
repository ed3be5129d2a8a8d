import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Dialect, QuoteRefusal } from './dialect.ts';
import { type DialectTable, dialectFromTable } from './dialect-from-table.ts';
import { refuseText } from './refusal.ts';

const DOLLARS = 'write the text between $$ and $$, where it stands for itself';
const UNDOCUMENTED = 'Redshift does not document this prefix';

/**
 * Amazon Redshift. Its ancestor (PostgreSQL 8.0) reads a backslash in '…' as an escape, newer servers may not, and there is no
 * setting that pins it. So no backslash is ever written between single quotes: a text with one is dollar-quoted, which all read alike.
 * True with `enable_case_sensitive_identifier` on, as the connector sets it (off, even quoted names are folded to lower case).
 */
export const redshiftTable: DialectTable = {
  name: 'redshift',
  regions: [
    { place: 'string', open: "'", close: "'", doubling: true, backslash: false, backslashUnknown: DOLLARS },
    ...["E'", "N'", "U&'", "X'", "B'"].map((open) => ({
      place: 'string' as const,
      open,
      close: "'",
      doubling: true,
      backslash: false,
      backslashUnknown: DOLLARS,
      refuse: UNDOCUMENTED,
    })),
    { place: 'double-quoted', open: '"', close: '"', doubling: true, backslash: false },
    { place: 'double-quoted', open: 'U&"', close: '"', doubling: true, backslash: false, refuse: UNDOCUMENTED },
    { place: 'line-comment', open: '--', close: '\n\r', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false, nested: true },
  ],
  dollarQuoting: true,
  doubleQuoted: 'identifier',
  identifier: { max: 127, unit: 'bytes' },
  identifierPlace: 'double-quoted',
  trailingComment: true,
  nullAfter: ['is'],
  codeStatements: ['create'],
};

export const redshiftDialect = redshiftDialectFrom(redshiftTable);

/** The dialect of a table; tests put broken ones in to see that they are noticed. */
export function redshiftDialectFrom(table: DialectTable): Dialect {
  const plain = dialectFromTable(table);
  return {
    ...plain,
    quoteLiteral(text) {
      const refusal = refuseText(text);
      if (refusal !== undefined) return err(refusal);
      return text.includes('\\') ? ok(dollarQuoted(text)) : plain.quoteLiteral(text);
    },
    escapeInside(place, text): Result<string, QuoteRefusal> {
      if (place === 'string' && text.includes('\\')) {
        const message = 'a backslash has no safe form between single quotes';
        return err({ code: 'not-representable', message });
      }
      return plain.escapeInside(place, text);
    },
  };
}

/** The same tag for the same text: the first one that does not end the literal early, not even together with its own last `$`. */
function dollarQuoted(text: string): string {
  for (let attempt = 0; ; attempt += 1) {
    const tag = attempt === 0 ? '$bf$' : `$bf${attempt}$`;
    if (`${text}${tag}`.indexOf(tag) === text.length) return `${tag}${text}${tag}`;
  }
}

import { type DialectTable, dialectFromTable } from './dialect-from-table.ts';

const UNICODE_ESCAPES = 'backslashes are Unicode escapes in it';
const BITS = 'it holds digits, not text';

/**
 * PostgreSQL, true with `standard_conforming_strings` on, as the connector pins it. Whole literals are right with it off as well:
 * a text with a backslash becomes `E'…'` with the backslash doubled. Line comments end at LF or CR; block comments nest.
 */
export const postgresTable: DialectTable = {
  name: 'postgres',
  regions: [
    { place: 'string', open: "'", close: "'", doubling: true, backslash: false, backslashOpen: "E'" },
    { place: 'escape-string', open: "E'", close: "'", doubling: true, backslash: true },
    // The lexer reads N'…' as the keyword nchar and a plain literal, so this is the same value.
    { place: 'national-string', open: "N'", close: "'", doubling: true, backslash: false, backslashOpen: "nchar E'" },
    { place: 'string', open: "U&'", close: "'", doubling: true, backslash: false, refuse: UNICODE_ESCAPES },
    { place: 'string', open: "X'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'string', open: "B'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'double-quoted', open: '"', close: '"', doubling: true, backslash: false },
    { place: 'double-quoted', open: 'U&"', close: '"', doubling: true, backslash: false, refuse: UNICODE_ESCAPES },
    { place: 'line-comment', open: '--', close: '\n\r', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false, nested: true },
  ],
  dollarQuoting: true,
  doubleQuoted: 'identifier',
  identifier: { max: 63, unit: 'bytes' },
  identifierPlace: 'double-quoted',
  trailingComment: true,
  nullAfter: ['is'],
  codeStatements: ['do', 'create'],
};

export const postgresDialect = dialectFromTable(postgresTable);

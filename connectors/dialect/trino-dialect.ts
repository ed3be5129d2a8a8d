import { type DialectTable, dialectFromTable } from './dialect-from-table.ts';

const UNICODE_ESCAPES = 'backslashes are Unicode escapes in it';
const BITS = 'it holds digits, not text';
const CODE = 'the body of a function stands in it';
const NO_NAME = 'Trino does not read it as a name; write "…" instead';

/**
 * Trino, read off the engine's grammar and checked on a real server (476). No backslash escapes anywhere; block comments do not nest;
 * a line comment ends at LF or CR. Outside of quotes the grammar knows nothing but printable ASCII and four kinds of white space. Names
 * are lower-cased by the engine, in quotes too.
 */
export const trinoTable: DialectTable = {
  name: 'trino',
  regions: [
    { place: 'string', open: "'", close: "'", doubling: true, backslash: false },
    { place: 'string', open: "U&'", close: "'", doubling: true, backslash: false, refuse: UNICODE_ESCAPES },
    { place: 'string', open: "X'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'double-quoted', open: '"', close: '"', doubling: true, backslash: false },
    { place: 'backquoted', open: '`', close: '`', doubling: true, backslash: false, refuse: NO_NAME },
    { place: 'dollar-quoted', open: '$$', close: '$$', doubling: false, backslash: false, refuse: CODE },
    { place: 'line-comment', open: '--', close: '\n\r', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false },
  ],
  dollarQuoting: false,
  plain: /^[\0\t\n\r -~]+$/,
  doubleQuoted: 'identifier',
  // The engine has no limit of its own; the connectors behind it have (hive 128, postgresql 63) and refuse what is longer.
  identifier: { max: 1024, unit: 'characters' },
  identifierPlace: 'double-quoted',
  trailingComment: true,
  nullAfter: ['is'],
  // Texts that are run as a statement later, by Trino or by the engine behind a catalog.
  codeStatements: ['execute', 'call'],
};

export const trinoDialect = dialectFromTable(trinoTable);

import { type DialectTable, dialectFromTable } from './dialect-from-table.ts';

const BITS = 'it holds digits, not text';
const EXECUTABLE = 'the server may run what stands in it';

/**
 * MySQL and MariaDB, true with a `sql_mode` that has neither ANSI_QUOTES nor NO_BACKSLASH_ESCAPES, as the connector pins it:
 * a double-quoted place is a string, a backslash escapes. Block comments do not nest; `--` needs a space behind it.
 */
export const mysqlTable: DialectTable = {
  name: 'mysql',
  regions: [
    { place: 'string', open: "'", close: "'", doubling: true, backslash: true },
    { place: 'national-string', open: "N'", close: "'", doubling: true, backslash: true },
    { place: 'string', open: "X'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'string', open: "B'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'double-quoted', open: '"', close: '"', doubling: true, backslash: true },
    { place: 'backquoted', open: '`', close: '`', doubling: true, backslash: false },
    { place: 'line-comment', open: '--', close: '\n', doubling: false, backslash: false, followedBySpace: true },
    { place: 'line-comment', open: '#', close: '\n', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*!', close: '*/', doubling: false, backslash: false, refuse: EXECUTABLE },
    { place: 'block-comment', open: '/*M!', close: '*/', doubling: false, backslash: false, refuse: EXECUTABLE },
  ],
  dollarQuoting: false,
  doubleQuoted: 'string',
  identifier: { max: 64, unit: 'characters' },
  identifierPlace: 'backquoted',
  trailingComment: true,
  codeStatements: ['prepare', 'execute', 'create'],
};

export const mysqlDialect = dialectFromTable(mysqlTable);

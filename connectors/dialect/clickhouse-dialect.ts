import { type DialectTable, dialectFromTable } from './dialect-from-table.ts';

const BITS = 'it holds digits, not text';

/**
 * ClickHouse, true with its own SQL (`dialect = 'clickhouse'`, the default). In strings and in both kinds of quoted identifier a
 * backslash escapes and a doubled quote stands for itself. Block comments nest; `#` opens a comment only before a blank or `!` and is
 * an error elsewhere. Outside of quotes the engine gives a meaning to some characters beyond ASCII (Unicode quotes open literals, a
 * Unicode minus subtracts) and reads `$1$` as the start of a heredoc, so a template may hold none of them there.
 */
export const clickhouseTable: DialectTable = {
  name: 'clickhouse',
  regions: [
    { place: 'string', open: "'", close: "'", doubling: true, backslash: true },
    { place: 'string', open: "X'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'string', open: "B'", close: "'", doubling: false, backslash: false, refuse: BITS },
    { place: 'backquoted', open: '`', close: '`', doubling: true, backslash: true },
    { place: 'double-quoted', open: '"', close: '"', doubling: true, backslash: true },
    { place: 'line-comment', open: '--', close: '\n', doubling: false, backslash: false },
    { place: 'line-comment', open: '#', close: '\n', doubling: false, backslash: false },
    { place: 'block-comment', open: '/*', close: '*/', doubling: false, backslash: false, nested: true },
  ],
  dollarQuoting: true,
  plain: /^(?!\$)[\0\t\n\v\f\r -~]+$/,
  doubleQuoted: 'identifier',
  // No name is ever cut: one that is too long for a file name is refused when the object is created.
  identifier: { max: 2048, unit: 'bytes' },
  identifierPlace: 'backquoted',
  trailingComment: true,
  // The query of a dictionary's source is a text that the server runs later.
  codeStatements: ['create', 'replace', 'attach'],
  // The parts of a Nested column are columns of their own: `item.price`.
  joinColumn: (path) => path.join('.'),
};

export const clickhouseDialect = dialectFromTable(clickhouseTable);

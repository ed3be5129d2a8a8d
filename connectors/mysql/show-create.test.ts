import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCreateTable } from './show-create.ts';
import { tokenize, unquoteString } from './tokens.ts';

/** As MySQL 8 prints a table, with all that it hides in executable comments. */
const MYSQL_8 = `CREATE TABLE \`t\` (
  \`id\` int NOT NULL AUTO_INCREMENT COMMENT 'it''s, (\\'x\\')',
  \`a\`\`b
c\` varchar(10) DEFAULT 'COMMENT ''no''' COMMENT 'x' /*!50606 STORAGE DISK */ /*!50606 COLUMN_FORMAT FIXED */,
  \`inv\` int DEFAULT NULL /*!80023 INVISIBLE */,
  \`gen\` varchar(5) GENERATED ALWAYS AS (concat(_utf8mb4'),',\`a\`\`b
c\`)) VIRTUAL,
  PRIMARY KEY (\`id\`),
  KEY \`k\` (\`inv\`) /*!80000 INVISIBLE */,
  CONSTRAINT \`c\` CHECK ((\`id\` <> 3)) /*!80016 NOT ENFORCED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='of t'
/*!50100 PARTITION BY RANGE (\`id\`)
(PARTITION p0 VALUES LESS THAN (10) COMMENT = 'p*/' ENGINE = InnoDB) */`;

describe('tokenize', () => {
  it('loses no character of whatever it can read', () => {
    const pieces = fc.constantFrom(
      "'a'",
      '`b`',
      '"c"',
      ' ',
      '\n',
      'word',
      '(',
      ')',
      ',',
      '/*x*/',
      '/*!50000 y',
      '*/',
      "'\\''",
      "''",
    );
    fc.assert(
      fc.property(fc.array(pieces), (list) => {
        const text = list.join('');
        const tokens = tokenize(text);
        if (!tokens.ok) return;
        expect(tokens.value.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
      }),
    );
  });

  it.each([["'open"], ['`open'], ['(('], [')'], ['/* open'], ['/*!50000 open'], ['*/'], ["'a\\'"]])(
    'refuses %s',
    (text) => {
      expect(tokenize(text).ok).toBe(false);
    },
  );
});

describe('parseCreateTable', () => {
  it('finds the columns, whatever their names, texts and comments hold', () => {
    const create = parseCreateTable(MYSQL_8);
    expect(create).toMatchObject({ ok: true });
    if (!create.ok) return;
    expect(create.value.columns.map(({ name }) => name)).toEqual(['id', 'a`b\nc', 'inv', 'gen']);
    expect(create.value.columns.map(({ definition }) => definition)).toEqual([
      "`id` int NOT NULL AUTO_INCREMENT COMMENT 'it''s, (\\'x\\')'",
      "`a``b\nc` varchar(10) DEFAULT 'COMMENT ''no''' COMMENT 'x' /*!50606 STORAGE DISK */ /*!50606 COLUMN_FORMAT FIXED */",
      '`inv` int DEFAULT NULL /*!80023 INVISIBLE */',
      "`gen` varchar(5) GENERATED ALWAYS AS (concat(_utf8mb4'),',`a``b\nc`)) VIRTUAL",
    ]);
    expect(MYSQL_8.slice(create.value.optionsStart)).toMatch(/^\) ENGINE=InnoDB/);
  });

  it('says what is wrong with anything else', () => {
    expect(parseCreateTable('CREATE ALGORITHM=UNDEFINED VIEW `v` AS select 1')).toEqual({
      ok: false,
      error: 'there is no list of columns',
    });
    expect(parseCreateTable("CREATE TABLE `t` (`a` int COMMENT 'x").ok).toBe(false);
  });
});

describe('unquoteString', () => {
  it.each([
    ["'it''s'", "it's"],
    ["'\\n\\r\\t\\0\\b\\Z'", '\n\r\t\0\b\x1a'],
    ["'\\\\n \\x \\''", "\\n x '"],
    ["''", ''],
  ])('reads %s as the server does', (token, text) => {
    expect(unquoteString(token)).toBe(text);
  });
});

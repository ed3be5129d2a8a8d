import { describe, expect, it } from 'vitest';
import { columnComment, lossOf, needsCopy, restatedAsJson, withColumnComment } from './column-definition.ts';

describe('withColumnComment', () => {
  it.each([
    ['at the end when there is none', '`a` int(11) NOT NULL', "`a` int(11) NOT NULL COMMENT 'new'"],
    ['in place of the old one', "`a` int COMMENT 'old'", "`a` int COMMENT 'new'"],
    [
      'before the storage options of MySQL',
      "`a` int COMMENT 'old' /*!50606 STORAGE DISK */",
      "`a` int COMMENT 'new' /*!50606 STORAGE DISK */",
    ],
    [
      'before the CHECK of MariaDB, when there is none',
      '`a` int DEFAULT 5 CHECK (`a` > 0)',
      "`a` int DEFAULT 5 COMMENT 'new' CHECK (`a` > 0)",
    ],
    [
      'before the CHECK of MariaDB, in place of the old one',
      "`a` int COMMENT 'old' CHECK (`a` <> 'CHECK (')",
      "`a` int COMMENT 'new' CHECK (`a` <> 'CHECK (')",
    ],
    [
      'not in a default',
      "`a` varchar(9) DEFAULT ' COMMENT ''x'''",
      "`a` varchar(9) DEFAULT ' COMMENT ''x''' COMMENT 'new'",
    ],
    ['not in a name', '`COMMENT` int', "`COMMENT` int COMMENT 'new'"],
    [
      'not in an expression',
      "`a` varchar(9) GENERATED ALWAYS AS (concat('COMMENT ','x')) VIRTUAL INVISIBLE",
      "`a` varchar(9) GENERATED ALWAYS AS (concat('COMMENT ','x')) VIRTUAL INVISIBLE COMMENT 'new'",
    ],
    [
      'behind compression',
      '`a` varchar(100) /*M!100301 COMPRESSED*/ DEFAULT NULL',
      "`a` varchar(100) /*M!100301 COMPRESSED*/ DEFAULT NULL COMMENT 'new'",
    ],
  ])('puts the comment %s', (_, definition, expected) => {
    expect(withColumnComment(definition, "'new'")).toEqual({ ok: true, value: expected });
    // Twice is once, and out again is the definition without any.
    expect(withColumnComment(expected, "'new'")).toEqual({ ok: true, value: expected });
    expect(withColumnComment(expected, undefined)).toEqual(withColumnComment(definition, undefined));
    expect(columnComment(expected)).toEqual({ ok: true, value: 'new' });
  });

  it('refuses what it cannot read', () => {
    expect(withColumnComment("`a` int DEFAULT 'x", "'new'").ok).toBe(false);
    expect(withColumnComment('PRIMARY KEY (`a`)', "'new'").ok).toBe(false);
  });
});

describe('lossOf', () => {
  it.each([
    ["`a` varchar(9) DEFAULT 'why?'", 'utf8mb4', true],
    ["`a` varchar(9) DEFAULT 'why?'", undefined, true],
    ["`a` varchar(9) DEFAULT 'why?'", 'latin1', false],
    ["`a` varchar(9) CHARACTER SET latin1 DEFAULT 'why?'", 'utf8mb4', false],
    ["`a` varchar(9) CHARACTER SET utf16 DEFAULT 'why?'", 'latin1', true],
    ["`a` enum('?','b') DEFAULT 'b'", 'utf8mb4', true],
    ["`a` set('?','b') CHARACTER SET ascii DEFAULT 'b'", 'utf8mb4', false],
    ["`a` varchar(9) DEFAULT 'x' COMMENT 'why?'", 'utf8mb4', false],
    ["`a` varchar(9) DEFAULT concat('?','b')", 'utf8mb4', false],
    ["`a` varchar(9) DEFAULT 'x' CHECK (`a` <> '?')", 'utf8mb4', false],
    ["`a` varbinary(9) DEFAULT '?'", 'utf8mb4', false],
    ["`a` binary(2) DEFAULT '\ufffd\ufffd'", 'latin1', true],
    ["`a` varchar(9) DEFAULT 'x' COMMENT '\ufffd'", 'utf8mb4', false],
  ])('%s in a table of %s: %s', (definition, charset, lossy) => {
    expect(lossOf(definition, charset) !== undefined).toBe(lossy);
  });
});

describe('needsCopy', () => {
  it.each([
    ['`a` int(11) GENERATED ALWAYS AS (`b` + 1) STORED', true],
    ["`a` int(11) GENERATED ALWAYS AS (`b` + 1) PERSISTENT COMMENT 'x'", true],
    ['`a` int(11) GENERATED ALWAYS AS (`b` + 1) VIRTUAL', false],
    ["`STORED` varchar(9) DEFAULT 'STORED' COMMENT 'STORED'", false],
    ['`a` int DEFAULT (`STORED` + 1)', false],
  ])('%s: %s', (definition, copies) => {
    expect(needsCopy(definition)).toBe(copies);
  });
});

describe('restatedAsJson', () => {
  const TYPE = 'longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
  it.each([
    [`\`j\` ${TYPE} DEFAULT NULL CHECK (json_valid(\`j\`))`, '`j` json DEFAULT NULL'],
    [
      `\`j\` ${TYPE} NOT NULL DEFAULT '{}' COMMENT 'x' CHECK (json_valid(\`j\`))`,
      "`j` json NOT NULL DEFAULT '{}' COMMENT 'x'",
    ],
    [`\`j\` ${TYPE} DEFAULT NULL CHECK (json_valid(\`k\`))`, undefined],
    [`\`j\` ${TYPE} DEFAULT NULL CHECK (json_valid(\`j\`) and 1)`, undefined],
    [`\`j\` ${TYPE} DEFAULT NULL`, undefined],
    ['`j` longtext DEFAULT NULL CHECK (json_valid(`j`))', undefined],
    ['`j` int', undefined],
  ])('%s', (definition, expected) => {
    expect(restatedAsJson(definition)).toBe(expected ?? definition);
  });
});

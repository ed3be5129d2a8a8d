import { describe, expect, it } from 'vitest';
import { type CreateTable, parseCreateTable } from './show-create.ts';
import { definitionWithout, tableCharset, tableComment } from './table-options.ts';

function table(options: string, ...columns: string[]): CreateTable {
  const create = parseCreateTable(`CREATE TABLE \`t\` (\n  ${columns.join(',\n  ')}\n) ENGINE=InnoDB${options}`);
  if (!create.ok) throw new Error(create.error);
  return create.value;
}

describe('options of a table', () => {
  it('finds the comment and the character set, and not those of partitions', () => {
    const create = table(
      " AUTO_INCREMENT=7 DEFAULT CHARSET=latin1 COLLATE=latin1_bin COMMENT='it''s\\nnew'\n PARTITION BY RANGE (`a`)\n(PARTITION `p0` VALUES LESS THAN (1) COMMENT = 'p' ENGINE = InnoDB)",
      '`a` int',
    );
    expect(tableComment(create)).toBe("it's\nnew");
    expect(tableCharset(create)).toBe('latin1');
    const bare = table("\n PARTITION BY RANGE (`a`)\n(PARTITION `p0` VALUES LESS THAN (1) COMMENT = 'p')", '`a` int');
    expect(tableComment(bare)).toBe('');
    expect(tableCharset(bare)).toBeUndefined();
  });
});

describe('definitionWithout', () => {
  const before = table(" COMMENT='t'", "`a` int COMMENT 'a'", "`b` int COMMENT 'b'");
  const written = { table: true, columns: new Set(['a']) };

  it('is blind for the comments that were written and for AUTO_INCREMENT', () => {
    const after = table(' AUTO_INCREMENT=3', "`a` int COMMENT 'new'", "`b` int COMMENT 'b'");
    expect(definitionWithout(after, written)).toBe(definitionWithout(before, written));
  });

  it.each([
    ['the comment of another column', table(" COMMENT='t'", "`a` int COMMENT 'a'", "`b` int COMMENT 'B'")],
    [
      'a lost attribute',
      table(" COMMENT='t'", '`a` int', "`b` int COMMENT 'b'").text.replace('`a` int', '`a` int NOT NULL'),
    ],
    ['an option', table(" ROW_FORMAT=COMPACT COMMENT='t'", "`a` int COMMENT 'a'", "`b` int COMMENT 'b'")],
    ['the order of columns', table(" COMMENT='t'", "`b` int COMMENT 'b'", "`a` int COMMENT 'a'")],
  ])('sees %s', (_, after) => {
    const create = typeof after === 'string' ? parseCreateTable(after) : { ok: true as const, value: after };
    expect(create.ok && definitionWithout(create.value, written)).not.toBe(definitionWithout(before, written));
  });

  it('sees a change of the table comment unless that was written', () => {
    const after = table(" COMMENT='T'", "`a` int COMMENT 'a'", "`b` int COMMENT 'b'");
    const columnsOnly = { table: false, columns: new Set(['a']) };
    expect(definitionWithout(after, columnsOnly)).not.toBe(definitionWithout(before, columnsOnly));
  });
});

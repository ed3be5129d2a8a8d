import { describe, expect, it } from 'vitest';
import { parseServer } from './server.ts';
import { parseCreateTable } from './show-create.ts';
import { ShownTables } from './shown-tables.ts';
import { TableColumns } from './table-columns.ts';

function table(column: string): TableColumns {
  const create = parseCreateTable(
    `CREATE TABLE \`t\` (\n  \`a\` int ${column}\n) ENGINE=InnoDB DEFAULT CHARSET=latin1`,
  );
  if (!create.ok) throw new Error(create.error);
  return new TableColumns(create.value, parseServer('10.11.19-MariaDB'));
}

describe('tables that were shown', () => {
  it('are found by their very text alone, until they are forgotten', () => {
    const shown = new ShownTables();
    const [old, now] = [table("COMMENT 'old'"), table("COMMENT 'now'")];
    shown.keep('`s`.`t`', old);
    expect(shown.find('`s`.`t`', table("COMMENT 'old'").create.text)).toBe(old);
    expect(shown.find('`s`.`t`', now.create.text)).toBeUndefined();
    expect(shown.find('`s`.`u`', old.create.text)).toBeUndefined();
    shown.keep('`s`.`t`', now);
    expect(shown.find('`s`.`t`', old.create.text)).toBeUndefined();
    expect(shown.find('`s`.`t`', now.create.text)).toBe(now);
    shown.forget('`s`.`t`');
    expect(shown.find('`s`.`t`', now.create.text)).toBeUndefined();
  });

  it('make room for newer ones', () => {
    const shown = new ShownTables();
    const large = ['a', 'b', 'c'].map((char) => table(`COMMENT '${char.repeat(200 * 1024)}'`));
    for (const [index, one] of large.entries()) shown.keep(`t${index}`, one);
    const found = large.map((one, index) => shown.find(`t${index}`, one.create.text) === one);
    expect(found).toEqual([false, true, true]);
    const huge = table(`COMMENT '${'d'.repeat(600 * 1024)}'`);
    shown.keep('huge', huge);
    expect(shown.find('huge', huge.create.text)).toBeUndefined();
    expect(shown.find('t2', large[2]?.create.text ?? '')).toBe(large[2]);
    shown.clear();
    expect(shown.find('t2', large[2]?.create.text ?? '')).toBeUndefined();
    for (const [index, one] of large.slice(1).entries()) shown.keep(`t${index}`, one);
    expect(shown.find('t0', large[1]?.create.text ?? '')).toBe(large[1]);
  });
});

describe('columns of a table', () => {
  it('have one detail each, whatever the case of the name that is asked for', () => {
    const columns = table("COMMENT 'x'");
    const detail = columns.detail('a');
    expect(detail).toEqual({
      server: parseServer('10.11.19-MariaDB'),
      definition: "`a` int COMMENT 'x'",
      tableCharset: 'latin1',
    });
    expect(columns.detail('A')).toBe(detail);
    expect(columns.detail('b').definition).toBeUndefined();
  });
});

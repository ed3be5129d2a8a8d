import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DescriptionOperation } from '../../src/domain/operation.ts';
import type { Clause } from './clause.ts';
import { columnComment } from './column-definition.ts';
import { planClause } from './plan.ts';
import { printedAfter } from './printed-after.ts';
import { parseServer } from './server.ts';
import { parseCreateTable } from './show-create.ts';
import { TableColumns } from './table-columns.ts';
import { definitionWithout } from './table-options.ts';
import { printedString, unquoteString } from './tokens.ts';

const SERVER = parseServer('10.11.19-MariaDB');

const DEFINITIONS: Readonly<Record<string, string>> = {
  id: "`id` int(11) NOT NULL AUTO_INCREMENT COMMENT 'it''s, (\\'x\\')'",
  plain: '`plain` int(11) DEFAULT NULL',
  said: "`said` varchar(99) DEFAULT ' COMMENT ''no''' COMMENT 'old\\n'",
  checked: "`checked` int(11) DEFAULT 5 COMMENT 'x' CHECK (`checked` <> 'CHECK (')",
  json: '`json` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`json`))',
  made: "`made` varchar(9) GENERATED ALWAYS AS (concat('COMMENT ','x,')) VIRTUAL",
  stored: "`stored` varchar(9) DEFAULT 'b' COMMENT 'x' /*!50606 STORAGE DISK */",
};

function table(comments: Readonly<Record<string, string>> = {}): TableColumns {
  const lines = Object.entries(DEFINITIONS).map(([name, definition]) => comments[name] ?? definition);
  const text = `CREATE TABLE \`t\` (\n  ${lines.join(',\n  ')},\n  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB AUTO_INCREMENT=7 COMMENT='of t'`;
  const create = parseCreateTable(text);
  if (!create.ok) throw new Error(create.error);
  return new TableColumns(create.value, SERVER);
}

function clauseOf(columns: TableColumns, column: string, text: string): Clause {
  const operation: DescriptionOperation = {
    aspect: 'description',
    object: {
      level: 'column',
      entityType: 'table',
      fqn: 'x',
      service: 'm',
      database: 'd',
      schema: 's',
      table: 't',
      column: [column],
    },
    text,
  };
  const clause = planClause(operation, { exists: true, kind: 'table', detail: columns.detail(column) }, {});
  if (!clause.ok) throw new Error(clause.error.failure.message);
  return clause.value;
}

const written = (columns: TableColumns, texts: ReadonlyMap<string, string>) =>
  [...texts].map(([column, text]) => ({ column, clause: clauseOf(columns, column, text) }));

describe('what is printed after a write', () => {
  it('is the text with the new comments as the server prints them', () => {
    const columns = table();
    const texts = new Map([
      ['id', "now 'this'\nand \\ that"],
      ['plain', 'set'],
      ['said', ''],
      ['json', 'of json'],
    ]);
    expect(printedAfter(columns, written(columns, texts))).toBe(
      table({
        id: "`id` int(11) NOT NULL AUTO_INCREMENT COMMENT 'now ''this''\\nand \\\\ that'",
        plain: "`plain` int(11) DEFAULT NULL COMMENT 'set'",
        said: "`said` varchar(99) DEFAULT ' COMMENT ''no'''",
        json: "`json` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL COMMENT 'of json' CHECK (json_valid(`json`))",
      }).create.text,
    );
  });

  it('is read back as the wanted comments, and as no other change', () => {
    const names = fc.subarray(Object.keys(DEFINITIONS), { minLength: 1 });
    const text = fc.string({
      unit: fc.constantFrom("'", '"', '`', '\\', '\n', '\r', 'n', '0', ',', '(', ')', '/*', '*/', ' ', 'é', 'COMMENT'),
      maxLength: 20,
    });
    const texts = names.chain((columns) => fc.tuple(...columns.map((name) => fc.tuple(fc.constant(name), text))));
    fc.assert(
      fc.property(texts, (pairs) => {
        const before = table();
        const wanted = new Map(pairs);
        const after = parseCreateTable(printedAfter(before, written(before, wanted)) ?? '');
        if (!after.ok) throw new Error(after.error);
        const now = new TableColumns(after.value, SERVER);
        for (const [name, definition] of Object.entries(DEFINITIONS)) {
          const comment = columnComment(now.find(name)?.definition ?? '');
          const old = columnComment(definition);
          expect(comment).toEqual(wanted.has(name) ? { ok: true, value: wanted.get(name) || undefined } : old);
        }
        const columns = new Set(wanted.keys());
        const others = { table: false, columns };
        expect(definitionWithout(after.value, others)).toBe(definitionWithout(before.create, others));
      }),
    );
  });

  it('is not known when a table is written as well, when a column is written twice, or is not there', () => {
    const columns = table();
    const plain = { column: 'plain', clause: clauseOf(columns, 'plain', 'x') };
    expect(printedAfter(columns, [plain])).toBeDefined();
    expect(printedAfter(columns, [plain, { column: undefined, clause: { target: 'table' } }])).toBeUndefined();
    expect(printedAfter(columns, [plain, { ...plain, column: 'PLAIN' }])).toBeUndefined();
    expect(printedAfter(columns, [{ ...plain, column: 'gone' }])).toBeUndefined();
  });
});

describe('a printed text', () => {
  it('is read back as it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(fc.constantFrom('\0', '\n', '\r', '\\', "'", 'n'), fc.string()) }),
        (text) => {
          expect(unquoteString(printedString(text))).toBe(text);
        },
      ),
    );
    expect(printedString("a'b\\c\nd\r\0")).toBe("'a''b\\\\c\\nd\\r\\0'");
  });
});

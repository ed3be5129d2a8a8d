import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';

/** What information_schema says of one object: its schema, table and column, where it has them. */
export const row = z.object({
  what: z.enum(['schema', 'table', 'column']),
  s: z.string(),
  t: z.string().nullable(),
  c: z.string().nullable(),
  kind: z.string().nullable(),
  comment: z.string().nullable(),
});
export type Row = z.infer<typeof row>;

/** The rows about one schema, or about one table and its columns. */
export class TableRows {
  schema: Row | undefined;
  table: Row | undefined;
  readonly #columns = new Map<string, Row>();
  /** Columns regardless of their case. */
  readonly #folded = new Map<string, Row>();

  /** The first one of a name counts. */
  add(row: Row): void {
    if (row.what === 'schema') this.schema ??= row;
    else if (row.what === 'table') this.table ??= row;
    else {
      const name = `${row.c}`;
      if (!this.#columns.has(name)) this.#columns.set(name, row);
      const folded = name.toLowerCase();
      if (!this.#folded.has(folded)) this.#folded.set(folded, row);
    }
  }

  column(path: readonly string[] = []): Row | undefined {
    const [name] = path;
    if (path.length !== 1 || name === undefined) return undefined;
    return this.#columns.get(name) ?? this.#folded.get(name.toLowerCase());
  }
}

const NO_ROWS = new TableRows();

/** Finds rows by exact name: the server compares without regard to case, accents and blanks at the end. */
export class RowFinder {
  readonly #tables = new Map<string, TableRows>();
  readonly #folds: boolean;
  /** Rows, and objects, of one table mostly come one after the other. */
  #last: { readonly schema: string | null; readonly table: string | null; readonly rows: TableRows | undefined } = {
    schema: null,
    table: null,
    rows: undefined,
  };

  constructor(rows: readonly Row[], folds: boolean) {
    this.#folds = folds;
    for (const row of rows) {
      const table = row.what === 'schema' ? null : row.t;
      let found = this.#find(row.s, table);
      if (found === undefined) {
        found = new TableRows();
        this.#tables.set(this.#key(row.s, table), found);
        this.#last = { schema: row.s, table, rows: found };
      }
      found.add(row);
    }
  }

  /** What is known of the object's table, or of its schema when it is one. */
  of({ level, schema, table }: ObjectRef): TableRows {
    return this.#find(schema ?? null, level === 'schema' ? null : (table ?? null)) ?? NO_ROWS;
  }

  #find(schema: string | null, table: string | null): TableRows | undefined {
    if (this.#last.schema !== schema || this.#last.table !== table)
      this.#last = { schema, table, rows: this.#tables.get(this.#key(schema, table)) };
    return this.#last.rows;
  }

  #key(schema: string | null, table: string | null): string {
    const key = JSON.stringify([schema, table]);
    return this.#folds ? key.toLowerCase() : key;
  }
}

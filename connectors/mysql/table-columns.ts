import type { ColumnItem, CreateTable } from './show-create.ts';
import { tableCharset } from './table-options.ts';

/** The columns of one table by their names, as the server finds them: by the exact name, else regardless of case. */
export class TableColumns {
  /** The character set of columns that name none. */
  readonly charset: string | undefined;
  readonly #exact: ReadonlyMap<string, ColumnItem>;
  readonly #folded = new Map<string, ColumnItem>();

  constructor(create: CreateTable) {
    this.charset = tableCharset(create);
    this.#exact = new Map(create.columns.map((column) => [column.name, column]));
    for (const column of create.columns) {
      const folded = column.name.toLowerCase();
      if (!this.#folded.has(folded)) this.#folded.set(folded, column);
    }
  }

  find(name: string): ColumnItem | undefined {
    return this.#exact.get(name) ?? this.#folded.get(name.toLowerCase());
  }
}

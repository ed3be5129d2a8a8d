import { ColumnDetail, type MysqlDetail } from './detail.ts';
import type { Server } from './server.ts';
import type { ColumnItem, CreateTable } from './show-create.ts';
import { tableCharset } from './table-options.ts';

/** The columns of one table by their names, as the server finds them: by the exact name, else regardless of case. */
export class TableColumns {
  readonly create: CreateTable;
  readonly #server: Server;
  /** The character set of columns that name none. */
  readonly #charset: string | undefined;
  readonly #exact: ReadonlyMap<string, ColumnItem>;
  /** Made when it is needed: most names are exact. */
  #folded: ReadonlyMap<string, ColumnItem> | undefined;
  readonly #details = new Map<ColumnItem, ColumnDetail>();

  constructor(create: CreateTable, server: Server) {
    this.create = create;
    this.#server = server;
    this.#charset = tableCharset(create);
    this.#exact = new Map(create.columns.map((column) => [column.name, column]));
  }

  find(name: string): ColumnItem | undefined {
    return this.#exact.get(name) ?? this.#byFoldedName().get(name.toLowerCase());
  }

  /**
   * What the plan for one column needs of its table; without a definition when the table has no such column. Of the same column it is
   * always the same object.
   */
  detail(name: string): MysqlDetail {
    const item = this.find(name);
    const charset = this.#charset;
    if (item === undefined)
      return { server: this.#server, ...(charset === undefined ? {} : { tableCharset: charset }) };
    const known = this.#details.get(item);
    if (known !== undefined) return known;
    const detail = new ColumnDetail(this.#server, item.definition, charset);
    this.#details.set(item, detail);
    return detail;
  }

  #byFoldedName(): ReadonlyMap<string, ColumnItem> {
    if (this.#folded !== undefined) return this.#folded;
    const folded = new Map<string, ColumnItem>();
    for (const column of this.create.columns) {
      const name = column.name.toLowerCase();
      if (!folded.has(name)) folded.set(name, column);
    }
    this.#folded = folded;
    return folded;
  }
}

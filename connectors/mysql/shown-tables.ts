import type { TableColumns } from './table-columns.ts';

/** Texts of all tables that are kept, in UTF-16 units: as much as the widest batch needs, and little beside what it holds anyway. */
const MOST = 512 * 1024;

/**
 * The tables that a session has read and not written yet, by their addresses. Under the lock SHOW CREATE TABLE nearly always prints
 * what it printed before: then the table need not be parsed, and nothing of it planned, a second time.
 */
export class ShownTables {
  readonly #tables = new Map<string, TableColumns>();
  #size = 0;

  /** The table that was kept, when this is its very text. */
  find(address: string, text: string): TableColumns | undefined {
    const table = this.#tables.get(address);
    return table?.create.text === text ? table : undefined;
  }

  /** The oldest ones make room. */
  keep(address: string, table: TableColumns): void {
    this.forget(address);
    const size = table.create.text.length;
    if (size > MOST) return;
    for (const oldest of this.#tables.keys()) {
      if (this.#size + size <= MOST) break;
      this.forget(oldest);
    }
    this.#tables.set(address, table);
    this.#size += size;
  }

  forget(address: string): void {
    const table = this.#tables.get(address);
    if (table === undefined) return;
    this.#tables.delete(address);
    this.#size -= table.create.text.length;
  }
}

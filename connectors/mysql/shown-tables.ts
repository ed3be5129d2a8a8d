import type { TableColumns } from './table-columns.ts';

/** Texts of all tables that are kept, in UTF-16 units: a batch of wide tables has fewer. */
const MOST = 512 * 1024;

/**
 * The tables of the last read that are not written yet, by their addresses. Under the lock SHOW CREATE TABLE nearly always prints
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

  /** Another read begins: what the one before was for is done. */
  clear(): void {
    this.#tables.clear();
    this.#size = 0;
  }

  forget(address: string): void {
    const table = this.#tables.get(address);
    if (table === undefined) return;
    this.#tables.delete(address);
    this.#size -= table.create.text.length;
  }
}

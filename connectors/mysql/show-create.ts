import { err, ok, type Result } from '../../src/domain/result.ts';
import { type Token, TokenScan, unquoteName } from './tokens.ts';

/** One column of the table: its name and its whole definition, name included, as SHOW CREATE TABLE prints it. */
export interface ColumnItem {
  readonly name: string;
  readonly definition: string;
  readonly start: number;
  readonly end: number;
}

export interface CreateTable {
  readonly text: string;
  readonly columns: readonly ColumnItem[];
  /** Where the options behind the list of columns begin (`) ENGINE=…`). */
  readonly optionsStart: number;
}

/** Reads the columns out of SHOW CREATE TABLE. An item that begins with a name is a column; keys and constraints begin with words. */
export function parseCreateTable(text: string): Result<CreateTable, string> {
  const scan = new TokenScan(text);
  const columns: ColumnItem[] = [];
  let optionsStart: number | undefined;
  let opened = false;
  const item = new ItemScan(text);
  while (scan.next()) {
    // Behind the list the rest is only looked through for whether it is whole.
    if (optionsStart !== undefined) continue;
    const symbol = scan.depth === 1 && scan.kind === 'symbol' ? text.charAt(scan.start) : '';
    if (!opened) opened = symbol === '(';
    else if (symbol === ',' || symbol === ')') {
      const column = item.end();
      if (column !== undefined) columns.push(column);
      if (symbol === ')') optionsStart = scan.start;
    } else item.add(scan);
  }
  if (scan.error !== undefined) return err(scan.error);
  return optionsStart === undefined ? err('there is no list of columns') : ok({ text, columns, optionsStart });
}

/** One item of the list of columns: from its first token to its last, without the space around them. */
class ItemScan {
  readonly #text: string;
  #first: 'name' | 'other' | undefined;
  #start = 0;
  #nameEnd = 0;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add({ kind, start, end }: Token): void {
    if (kind === 'space') return;
    if (this.#first === undefined) {
      this.#first = kind === 'name' ? 'name' : 'other';
      this.#start = start;
      this.#nameEnd = end;
    }
    this.#end = end;
  }

  /** The item as a column, when it is one; the next one begins. */
  end(): ColumnItem | undefined {
    const isColumn = this.#first === 'name';
    this.#first = undefined;
    if (!isColumn) return undefined;
    const [start, end] = [this.#start, this.#end];
    const name = unquoteName(this.#text.slice(start, this.#nameEnd));
    return { name, definition: this.#text.slice(start, end), start, end };
  }
}

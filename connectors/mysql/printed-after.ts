import type { Clause } from './clause.ts';
import type { ColumnItem } from './show-create.ts';
import type { TableColumns } from './table-columns.ts';

/** A column by the name that an operation gives it, and what is written of it. */
export interface ColumnClause {
  readonly column: string | undefined;
  readonly clause: Pick<Clause, 'target' | 'printed'>;
}

/**
 * What SHOW CREATE TABLE has to print when nothing but the comments of these columns has changed. Undefined where that is not known for
 * every one of them; a server that words something in another way prints another text. Neither says that anything is wrong: then what
 * stands there is read and compared in parts.
 */
export function printedAfter(before: TableColumns, written: readonly ColumnClause[]): string | undefined {
  const printed = new Map<ColumnItem, string>();
  for (const { column, clause } of written) {
    const item = column === undefined ? undefined : before.find(column);
    // Of two clauses for one column it is not known which one stands.
    if (clause.target !== 'column' || clause.printed === undefined || item === undefined || printed.has(item))
      return undefined;
    printed.set(item, clause.printed);
  }
  const { text, columns } = before.create;
  const pieces: string[] = [];
  let from = 0;
  for (const item of columns) {
    const now = printed.get(item);
    if (now === undefined) continue;
    pieces.push(text.slice(from, item.start), now);
    from = item.end;
  }
  return [...pieces, text.slice(from)].join('');
}

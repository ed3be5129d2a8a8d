/** Clauses of a statement that an outcome shows: each of them shows all, so that more would grow with the square of the batch. */
const SHOWN_CLAUSES = 25;

/**
 * What an outcome shows of a statement that served several writes: all of it, or, of a long one, its own clause. `own` makes the
 * statement of that clause alone; it puts the comment that it is given, which tells of the others, behind the clause.
 */
export function shownStatement(statement: string, clauses: number, own: (comment: string) => string): string {
  return clauses <= SHOWN_CLAUSES ? statement : own(` /* and ${clauses - 1} more in one statement */`);
}

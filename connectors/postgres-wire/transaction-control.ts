import type { Dialect } from '../dialect/dialect.ts';
import { isSignificant, lex, splitStatements } from '../dialect/lex.ts';

const CONTROL: ReadonlySet<string> = new Set(['begin', 'start', 'commit', 'end', 'rollback', 'abort', 'prepare']);

/**
 * Whether a statement would end the transaction that it runs in. With it would go the timeouts and the mode in which the
 * literals of what follows are read, so templates may not hold such statements.
 */
export function controlsTransaction(statement: string, dialect: Dialect): boolean {
  const tokens = lex(statement, dialect);
  if (!tokens.ok) return false;
  return splitStatements(statement, tokens.value).some((single) => {
    const [first] = single.filter(isSignificant);
    return first !== undefined && CONTROL.has(statement.slice(first.start, first.end).toLowerCase());
  });
}

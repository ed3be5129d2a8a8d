import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import { isSignificant, lex } from '../dialect/lex.ts';

/**
 * Whether a statement is an INSERT whose data stands behind FORMAT: the server reads what follows by the rules of that format (CSV,
 * JSON, …), so values that were quoted for SQL could end a field or a row there.
 */
export function holdsFormattedData(statement: string): boolean {
  const tokens = lex(statement, clickhouseDialect);
  if (!tokens.ok) return false;
  const words = tokens.value
    .filter(isSignificant)
    .map((token) => (token.kind === 'word' ? statement.slice(token.start, token.end).toLowerCase() : ''));
  return words[0] === 'insert' && words.includes('format');
}

import type { Refusal } from '../contract.ts';
import { isSignificant, lex } from '../dialect/lex.ts';
import { trinoDialect } from '../dialect/trino-dialect.ts';

/** What a statement of a template must not do, and why; undefined when it may run. */
export function refuseTemplate(statement: string): Refusal | undefined {
  const tokens = lex(statement, trinoDialect);
  if (!tokens.ok) return undefined;
  const words = tokens.value
    .filter(isSignificant)
    .map((token) => statement.slice(token.start, token.end).toLowerCase().replaceAll('"', ''));
  const [first = '', second = ''] = words;
  if (first === 'commit' || first === 'rollback' || (first === 'start' && second === 'transaction')) {
    return invalid(
      'template-transaction-control',
      'Trino writes metadata without transactions; take START, COMMIT and ROLLBACK out.',
    );
  }
  // The text of a passed-through query is read a second time, by the rules of another engine.
  if (
    words.some(
      (word, i) => word === 'system' && words[i + 1] === '.' && words[i + 2] === 'query' && words[i + 3] === '(',
    )
  ) {
    return invalid(
      'template-pass-through',
      'The query that system.query() passes on is read by the rules of another engine, where values quoted for Trino are not safe.',
    );
  }
  return undefined;
}

function invalid(code: string, message: string): Refusal {
  return { outcome: 'failed', failure: { class: 'invalid', scope: 'object', code, message } };
}

import { lex } from '../dialect/lex.ts';
import { oracleDialect } from '../dialect/oracle-dialect.ts';

/** Words with which a statement would end the template's transaction or run a text as code. */
const FIRST_WORDS: ReadonlyMap<string, string> = new Map([
  ['commit', 'template-transaction-control'],
  ['rollback', 'template-transaction-control'],
  ['savepoint', 'template-transaction-control'],
  ['begin', 'template-runs-code'],
  ['declare', 'template-runs-code'],
]);

const MESSAGES: Readonly<Record<string, string>> = {
  'template-transaction-control':
    'The statements of a template are committed together; take COMMIT, ROLLBACK and SAVEPOINT out of it.',
  'template-runs-code': 'A template cannot hold a PL/SQL block. Call a procedure of your own instead.',
};

/** Why a rendered statement of a template may not run; undefined when it may. */
export function refuseTemplate(statement: string): { readonly code: string; readonly message: string } | undefined {
  const lexed = lex(statement, oracleDialect);
  if (!lexed.ok) {
    return { code: 'template-not-closed', message: `The template cannot be read: ${lexed.error.message}.` };
  }
  for (const token of lexed.value) {
    if (token.kind !== 'region' || token.region.place !== 'line-comment') continue;
    // Only then does it matter whether the engine ends the comment there.
    if (/\r(?!\n|$)/.test(statement.slice(token.start, token.end))) {
      const message = 'A line comment of the template holds a CR without LF; end it with LF.';
      return { code: 'template-lone-cr', message };
    }
  }
  const first = lexed.value.find(({ kind }) => kind === 'word');
  const code = FIRST_WORDS.get(first === undefined ? '' : statement.slice(first.start, first.end).toLowerCase());
  return code === undefined ? undefined : { code, message: MESSAGES[code] ?? code };
}

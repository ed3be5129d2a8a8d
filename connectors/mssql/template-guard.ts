import { lex, type Token } from '../dialect/lex.ts';
import { mssqlDialect } from '../dialect/mssql-dialect.ts';

/** Why a rendered template may not run. */
export interface TemplateProblem {
  readonly code: string;
  readonly message: string;
}

/** Reserved words (and one setting) that would end our transaction or change how the session reads what follows. */
const SESSION_WORDS: ReadonlySet<string> = new Set(['commit', 'rollback', 'save', 'use', 'quoted_identifier']);
const TRANSACTION_WORDS: ReadonlySet<string> = new Set(['tran', 'transaction', 'distributed']);
/** Procedures and functions that run a text as code, in which no value is safe however it is quoted. */
const RUNS_TEXT =
  /^(?:sp_executesql|sp_sqlexec|sp_execute|sp_prepare|sp_prepexec|sp_cursoropen|sp_msforeach\w*|xp_cmdshell|openquery|openrowset|opendatasource|sp_execute_external_script|sp_add_jobstep|sp_executesql_\w*)$/;

/**
 * Statements that would change the session or run a text as code; T-SQL needs no semicolon between statements, so every word counts.
 * A lone CR in a line comment is refused, since only then it matters whether the engine ends the comment there.
 */
export function refuseTemplate(statement: string): TemplateProblem | undefined {
  const lexed = lex(statement, mssqlDialect);
  if (!lexed.ok)
    return { code: 'template-not-closed', message: `The template cannot be read: ${lexed.error.message}.` };
  const tokens = lexed.value.filter((token) => token.kind !== 'space');
  for (const token of tokens) {
    if (token.kind !== 'region' || token.region.place !== 'line-comment') continue;
    if (/\r(?!\n|$)/.test(statement.slice(token.start, token.end))) {
      return {
        code: 'template-lone-cr',
        message: 'A line comment of the template holds a CR without LF; end it with LF.',
      };
    }
  }
  const code = tokens.filter(
    (token) =>
      token.kind !== 'region' || (token.region.place !== 'line-comment' && token.region.place !== 'block-comment'),
  );
  const words = code.map((token) => wordOf(statement, token));
  for (const [index, { text, bare }] of words.entries()) {
    const next = words[index + 1]?.text ?? '';
    if (bare && (SESSION_WORDS.has(text) || (text === 'begin' && TRANSACTION_WORDS.has(next)))) {
      return {
        code: 'template-session-control',
        message: `A template runs in one transaction of its own; take ${text.toUpperCase()} out of it.`,
      };
    }
    const dynamic = bare && /^exec(?:ute)?$/.test(text) && (next === '(' || isVariable(words, index + 1));
    if (dynamic || RUNS_TEXT.test(text)) {
      return {
        code: 'template-runs-text',
        message:
          'The template runs a text as code, in which no value of the catalogue is safe. Call a procedure of your own instead.',
      };
    }
  }
  return undefined;
}

interface Word {
  readonly text: string;
  readonly bare: boolean;
}

/** Words and names in lower case; literals have none. */
function wordOf(statement: string, token: Token): Word {
  if (token.kind !== 'region')
    return { text: statement.slice(token.start, token.end).toLowerCase(), bare: token.kind === 'word' };
  const { place } = token.region;
  const isName = place === 'bracketed' || place === 'double-quoted';
  const content = statement.slice(token.contentStart, token.contentEnd).toLowerCase();
  return { text: isName ? content.trim() : '', bare: false };
}

/** `EXEC @text` runs what the variable names; `EXEC @result = procedure` does not. */
function isVariable(words: readonly Word[], at: number): boolean {
  return words[at]?.text === '@' && words[at + 2]?.text !== '=';
}

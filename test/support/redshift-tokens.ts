/** How a server reads a backslash in `'…'`: as PostgreSQL 8.0 did, or as itself. */
export type BackslashMode = 'escape' | 'literal';

/** A token as Redshift reads it; `text` of a string or name is its value, of a word in lower case. */
export interface RedshiftToken {
  readonly kind: 'word' | 'string' | 'name' | 'number' | 'symbol';
  readonly text: string;
  /** Stands directly behind the token before it. */
  readonly glued: boolean;
}

/** What Redshift says to what it cannot read. */
export class RedshiftSyntaxError extends Error {
  readonly code: string;

  constructor(message: string, code = '42601') {
    super(message);
    this.code = code;
  }
}

const SPACE = /[ \t\n\r\f]+/y;
const LINE_COMMENT = /--[^\n\r]*/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*)?\$/uy;
const WORD = /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*/uy;
const NUMBER = /[0-9]+(?:\.[0-9]+)?/y;
const SYMBOL = /::|<>|!=|<=|>=|\|\||\$[0-9]+|[-+*/<>=~!@#%^&|`?.,();:[\]]/y;
const CONTROL_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const NAME_BYTES = 127;

/** Reads a text of statements by Redshift's rules, on its own and strictly: what is left open, or glued together, is an error. */
export function redshiftTokens(sql: string, mode: BackslashMode): readonly RedshiftToken[] {
  const tokens: RedshiftToken[] = [];
  let at = 0;
  let end = -1;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  const add = (kind: RedshiftToken['kind'], text: string, next: number): void => {
    const before = tokens.at(-1);
    if (kind === 'string' && before?.kind === 'string') throw new RedshiftSyntaxError('two strings in a row');
    tokens.push({ kind, text, glued: end === at });
    at = next;
    end = next;
  };

  while (at < sql.length) {
    const skipped = match(SPACE) ?? match(LINE_COMMENT);
    if (skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    if (sql.startsWith('/*', at)) {
      at = commentEnd(sql, at);
      continue;
    }
    const character = sql[at];
    if (character === "'") {
      const { text, next } = quoted(sql, at, "'", mode === 'escape');
      add('string', text, next);
      continue;
    }
    if (character === '"') {
      const { text, next } = quoted(sql, at, '"', false);
      if (text === '') throw new RedshiftSyntaxError('zero-length delimited identifier');
      if (Buffer.byteLength(text) > NAME_BYTES) throw new RedshiftSyntaxError('identifier too long', '42622');
      add('name', text, next);
      continue;
    }
    const tag = match(DOLLAR_TAG);
    if (tag !== undefined) {
      const close = dollarEnd(sql, at + tag.length, tag);
      add('string', sql.slice(at + tag.length, close), close + tag.length);
      continue;
    }
    const word = match(WORD);
    if (word !== undefined) {
      add('word', word.toLowerCase(), at + word.length);
      continue;
    }
    const number = match(NUMBER);
    const symbol = number ?? match(SYMBOL);
    if (symbol === undefined) throw new RedshiftSyntaxError(`syntax error at or near ${JSON.stringify(character)}`);
    add(number === undefined ? 'symbol' : 'number', symbol, at + symbol.length);
  }
  return tokens;
}

function quoted(sql: string, start: number, quote: string, escapes: boolean): { text: string; next: number } {
  let text = '';
  let at = start + 1;
  while (at < sql.length) {
    const character = sql.charAt(at);
    const following = sql.charAt(at + 1);
    if (character === quote && following === quote) {
      text += quote;
      at += 2;
    } else if (character === quote) {
      return { text, next: at + 1 };
    } else if (escapes && character === '\\' && following !== '') {
      const octal = /^[0-7]{1,3}/.exec(sql.slice(at + 1, at + 4))?.[0];
      text +=
        octal === undefined
          ? (CONTROL_ESCAPES[following] ?? following)
          : String.fromCharCode(Number.parseInt(octal, 8));
      at += 1 + (octal?.length ?? 1);
    } else {
      text += character;
      at += 1;
    }
  }
  throw new RedshiftSyntaxError(`unterminated quoted ${quote === '"' ? 'identifier' : 'string'}`);
}

/** As the scanner of the ancestor does it: a `$…$` that is not the tag gives back its last `$`. */
function dollarEnd(sql: string, from: number, tag: string): number {
  let at = from;
  while (at < sql.length) {
    DOLLAR_TAG.lastIndex = at;
    const found = DOLLAR_TAG.exec(sql)?.[0];
    if (found === tag) return at;
    at += found === undefined ? 1 : found.length - 1;
  }
  throw new RedshiftSyntaxError('unterminated dollar-quoted string');
}

function commentEnd(sql: string, start: number): number {
  let depth = 0;
  for (let at = start; at < sql.length; ) {
    if (sql.startsWith('/*', at)) depth += 1;
    else if (sql.startsWith('*/', at)) depth -= 1;
    else {
      at += 1;
      continue;
    }
    at += 2;
    if (depth === 0) return at;
  }
  throw new RedshiftSyntaxError('unterminated /* comment');
}

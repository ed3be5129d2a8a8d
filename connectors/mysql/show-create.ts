import { err, ok, type Result } from '../../src/domain/result.ts';

/**
 * A piece of the text that SHOW CREATE TABLE prints in a session with our pinned modes: `'…'` are strings, `` `…` `` are names.
 * An executable comment (`/*!50606 …`) is read as what stands in it, since the server runs it; its marks are tokens.
 */
export interface Token {
  readonly kind: 'space' | 'word' | 'string' | 'name' | 'symbol' | 'mark';
  readonly start: number;
  readonly end: number;
  /** Open parentheses and executable comments around the token; the marks themselves count as inside. */
  readonly depth: number;
}

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

/** Splits SQL text into tokens without losing a character. The error tells what was not closed. */
export function tokenize(text: string): Result<readonly Token[], string> {
  const tokens: Token[] = [];
  let depth = 0;
  let position = 0;
  while (position < text.length) {
    const start = position;
    const char = text.charAt(position);
    let kind: Token['kind'] = 'symbol';
    let inside = depth;
    if (char === "'" || char === '"' || char === '`') {
      const end = endOfQuoted(text, position);
      if (end === undefined) return err(`a quoted text that starts at character ${start} does not end`);
      kind = char === '`' ? 'name' : 'string';
      position = end;
    } else if (text.startsWith('/*', position)) {
      const opening = /^\/\*M?!\d*/.exec(text.slice(position, position + 16))?.[0];
      if (opening !== undefined) {
        kind = 'mark';
        depth += 1;
        inside = depth;
        position += opening.length;
      } else {
        const end = text.indexOf('*/', position + 2);
        if (end < 0) return err(`a comment that starts at character ${start} does not end`);
        kind = 'space';
        position = end + 2;
      }
    } else if (text.startsWith('*/', position)) {
      kind = 'mark';
      depth -= 1;
      position += 2;
    } else if (/\s/.test(char)) {
      kind = 'space';
      position = runEnd(text, position, /\s/);
    } else if (WORD.test(char)) {
      kind = 'word';
      position = runEnd(text, position, WORD);
    } else {
      if (char === '(') inside = ++depth;
      if (char === ')') depth -= 1;
      position += 1;
    }
    if (depth < 0) return err(`something is closed at character ${start} that was not opened`);
    tokens.push({ kind, start, end: position, depth: inside });
  }
  return depth === 0 ? ok(tokens) : err('a parenthesis or an executable comment does not end');
}

const WORD = /[\p{L}\p{N}_$.@]/u;

function runEnd(text: string, start: number, pattern: RegExp): number {
  let end = start + 1;
  while (end < text.length && pattern.test(text.charAt(end))) end += 1;
  return end;
}

/** Position behind the closing quote. A doubled quote stands for itself; a backslash escapes, except in names. */
function endOfQuoted(text: string, start: number): number | undefined {
  const quote = text.charAt(start);
  for (let i = start + 1; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '\\' && quote !== '`') i += 1;
    else if (char === quote) {
      if (text.charAt(i + 1) !== quote) return i + 1;
      i += 1;
    }
  }
  return undefined;
}

/** The name in a backquoted token. */
export function unquoteName(token: string): string {
  return token.slice(1, -1).replaceAll('``', '`');
}

const ESCAPES: Readonly<Record<string, string>> = { '0': '\0', n: '\n', r: '\r', t: '\t', b: '\b', Z: '\x1a' };

/** The text in a `'…'` token, read as the server reads it while a backslash escapes. */
export function unquoteString(token: string): string {
  const quote = token.charAt(0);
  let text = '';
  for (let i = 1; i < token.length - 1; i += 1) {
    const char = token.charAt(i);
    if (char === '\\') {
      i += 1;
      const next = token.charAt(i);
      text += ESCAPES[next] ?? next;
    } else {
      if (char === quote) i += 1;
      text += char;
    }
  }
  return text;
}

/** Reads the columns out of SHOW CREATE TABLE. An item that begins with a name is a column; keys and constraints begin with words. */
export function parseCreateTable(text: string): Result<CreateTable, string> {
  const tokens = tokenize(text);
  if (!tokens.ok) return tokens;
  const open = tokens.value.findIndex(({ start, depth }) => depth === 1 && text.charAt(start) === '(');
  const close = tokens.value.findIndex(({ start, depth }, i) => i > open && depth === 1 && text.charAt(start) === ')');
  const closing = tokens.value[close];
  if (open < 0 || closing === undefined) return err('there is no list of columns');

  const columns: ColumnItem[] = [];
  let item: Token[] = [];
  const endItem = (): void => {
    const first = item.find(({ kind }) => kind !== 'space');
    const last = item.findLast(({ kind }) => kind !== 'space');
    item = [];
    if (first?.kind !== 'name' || last === undefined) return;
    columns.push({
      name: unquoteName(text.slice(first.start, first.end)),
      definition: text.slice(first.start, last.end),
      start: first.start,
      end: last.end,
    });
  };
  for (const token of tokens.value.slice(open + 1, close)) {
    if (token.depth === 1 && token.kind === 'symbol' && text.charAt(token.start) === ',') endItem();
    else item.push(token);
  }
  endItem();
  return ok({ text, columns, optionsStart: closing.start });
}

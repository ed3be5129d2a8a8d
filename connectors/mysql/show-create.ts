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
    const code = text.charCodeAt(position);
    let kind: Token['kind'] = 'symbol';
    let inside = depth;
    if (code === SINGLE_QUOTE || code === DOUBLE_QUOTE || code === BACKQUOTE) {
      const end = endOfQuoted(text, position, code);
      if (end === undefined) return err(`a quoted text that starts at character ${start} does not end`);
      kind = code === BACKQUOTE ? 'name' : 'string';
      position = end;
    } else if (code === SLASH && text.charCodeAt(position + 1) === STAR) {
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
    } else if (code === STAR && text.charCodeAt(position + 1) === SLASH) {
      kind = 'mark';
      depth -= 1;
      position += 2;
    } else {
      const run = classOf(code);
      position += 1;
      if (run !== SYMBOL) {
        kind = run === WORD ? 'word' : 'space';
        while (position < text.length && classOf(text.charCodeAt(position)) === run) position += 1;
      } else if (code === OPEN) inside = ++depth;
      else if (code === CLOSE) depth -= 1;
    }
    if (depth < 0) return err(`something is closed at character ${start} that was not opened`);
    tokens.push({ kind, start, end: position, depth: inside });
  }
  return depth === 0 ? ok(tokens) : err('a parenthesis or an executable comment does not end');
}

const SINGLE_QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKQUOTE = 0x60;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;
const OPEN = 0x28;
const CLOSE = 0x29;

const SYMBOL = 0;
const SPACE = 1;
const WORD = 2;

function classified(char: string): number {
  if (/\s/.test(char)) return SPACE;
  return /[\p{L}\p{N}_$.@]/u.test(char) ? WORD : SYMBOL;
}

/** The classes of ASCII: nearly every character of a definition is one, and looking it up costs far less than an expression. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => classified(String.fromCharCode(code)));

function classOf(code: number): number {
  return ASCII[code] ?? classified(String.fromCharCode(code));
}

/** Position behind the closing quote. A doubled quote stands for itself; a backslash escapes, except in names. */
function endOfQuoted(text: string, start: number, quote: number): number | undefined {
  const escaping = quote === BACKQUOTE ? undefined : BACKSLASH;
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === escaping) i += 1;
    else if (code === quote) {
      if (text.charCodeAt(i + 1) !== quote) return i + 1;
      i += 1;
    }
  }
  return undefined;
}

/** The name in a backquoted token. */
export function unquoteName(token: string): string {
  const name = token.slice(1, -1);
  return name.includes('`') ? name.replaceAll('``', '`') : name;
}

const ESCAPES: Readonly<Record<string, string>> = { '0': '\0', n: '\n', r: '\r', t: '\t', b: '\b', Z: '\x1a' };

/** The text in a `'…'` token, read as the server reads it while a backslash escapes. */
export function unquoteString(token: string): string {
  const quote = token.charAt(0);
  const inside = token.slice(1, -1);
  if (!inside.includes('\\') && !inside.includes(quote)) return inside;
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

const PRINTED: Readonly<Record<string, string>> = { '\0': '\\0', '\n': '\\n', '\r': '\\r', '\\': '\\\\', "'": "''" };

/** A text as SHOW CREATE TABLE prints a comment that holds it: what `unquoteString` reads back. */
export function printedString(text: string): string {
  return `'${text.replace(/[\0\n\r\\']/g, (char) => PRINTED[char] ?? char)}'`;
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

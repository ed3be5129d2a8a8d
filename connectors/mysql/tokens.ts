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

/** Splits SQL text into tokens without losing a character. The error tells what was not closed. */
export function tokenize(text: string): Result<readonly Token[], string> {
  const tokens: Token[] = [];
  const scan = new TokenScan(text);
  while (scan.next()) {
    const { kind, start, end, depth } = scan;
    tokens.push({ kind, start, end, depth });
  }
  return scan.error === undefined ? ok(tokens) : err(scan.error);
}

/** The tokens of a text one after the other, for those who need not have them all: the scan itself is the present token. */
export class TokenScan implements Token {
  kind: Token['kind'] = 'space';
  start = 0;
  end = 0;
  depth = 0;
  /** Why there is no other token; undefined at the end of a text that is whole. */
  error: string | undefined;
  readonly #text: string;
  #open = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Goes to the next token; false: there is none. */
  next(): boolean {
    const text = this.#text;
    const start = this.end;
    if (start >= text.length) {
      if (this.#open > 0) this.error = 'a parenthesis or an executable comment does not end';
      return false;
    }
    const code = text.charCodeAt(start);
    this.start = start;
    this.kind = 'symbol';
    this.depth = this.#open;
    if (code === SINGLE_QUOTE || code === DOUBLE_QUOTE || code === BACKQUOTE) {
      this.kind = code === BACKQUOTE ? 'name' : 'string';
      return this.#upTo(endOfQuoted(text, start, code), 'a quoted text');
    }
    if (code === SLASH && text.charCodeAt(start + 1) === STAR) {
      const opening = /^\/\*M?!\d*/.exec(text.slice(start, start + 16))?.[0];
      if (opening !== undefined) {
        this.kind = 'mark';
        this.depth = ++this.#open;
        this.end = start + opening.length;
        return true;
      }
      this.kind = 'space';
      const end = text.indexOf('*/', start + 2);
      return this.#upTo(end < 0 ? undefined : end + 2, 'a comment');
    }
    if (code === STAR && text.charCodeAt(start + 1) === SLASH) {
      this.kind = 'mark';
      this.end = start + 2;
      return this.#close();
    }
    const run = classOf(code);
    this.end = start + 1;
    if (run !== SYMBOL) {
      this.kind = run === WORD ? 'word' : 'space';
      while (this.end < text.length && classOf(text.charCodeAt(this.end)) === run) this.end += 1;
    } else if (code === OPEN) this.depth = ++this.#open;
    else if (code === CLOSE) return this.#close();
    return true;
  }

  #upTo(end: number | undefined, what: string): boolean {
    if (end === undefined) this.error = `${what} that starts at character ${this.start} does not end`;
    else this.end = end;
    return end !== undefined;
  }

  #close(): boolean {
    this.#open -= 1;
    if (this.#open < 0) this.error = `something is closed at character ${this.start} that was not opened`;
    return this.#open >= 0;
  }
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

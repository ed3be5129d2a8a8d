/**
 * A strict reader of the part of Trino's SQL that the connector uses, written from the engine's grammar and independent of the connector's
 * own lexer. Anything else, one character too many included, is a syntax error, as it would be on the server.
 */

export type TrinoToken =
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'string'; readonly text: string; readonly at: number }
  | { readonly kind: 'symbol'; readonly text: string; readonly at: number };

export class TrinoSyntaxError extends Error {}

const SPACE = /[ \t\r\n]+/y;
const LINE_COMMENT = /--[^\r\n]*/y;
const BLOCK_COMMENT = /\/\*.*?\*\//sy;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /[0-9]+/y;
const STRING = /'((?:[^']|'')*)'/y;
const NAME = /"((?:[^"]|"")*)"/y;
const SYMBOL = /[.,()=]/y;

export function trinoTokens(sql: string): readonly TrinoToken[] {
  const tokens: TrinoToken[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(sql) ?? undefined;
    if (match !== undefined) at += match[0].length;
    return match;
  };
  while (at < sql.length) {
    const start = at;
    if (take(SPACE) !== undefined || take(LINE_COMMENT) !== undefined || take(BLOCK_COMMENT) !== undefined) continue;
    const string = take(STRING);
    if (string !== undefined) {
      tokens.push({ kind: 'string', text: (string[1] ?? '').replaceAll("''", "'"), at: start });
      continue;
    }
    const name = take(NAME);
    if (name !== undefined) {
      tokens.push({ kind: 'name', text: (name[1] ?? '').replaceAll('""', '"'), at: start });
      continue;
    }
    const word = take(WORD);
    const number = word === undefined ? take(NUMBER) : undefined;
    const symbol = word === undefined && number === undefined ? take(SYMBOL) : undefined;
    if (word !== undefined) tokens.push({ kind: 'word', text: word[0], at: start });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number[0], at: start });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol[0], at: start });
    else throw new TrinoSyntaxError(`line 1:${start + 1}: mismatched input '${sql.charAt(start)}'`);
  }
  return tokens;
}

/** Walks over the tokens of one statement; every method takes what it names or throws. */
export class TrinoReader {
  readonly #tokens: readonly TrinoToken[];
  #next = 0;

  constructor(sql: string) {
    this.#tokens = trinoTokens(sql);
  }

  get #token(): TrinoToken | undefined {
    return this.#tokens[this.#next];
  }

  fail(): never {
    const token = this.#token;
    throw new TrinoSyntaxError(`line 1:${(token?.at ?? 0) + 1}: mismatched input '${token?.text ?? '<EOF>'}'`);
  }

  /** Whether the next tokens are these keywords; takes them when they are. */
  skip(...words: readonly string[]): boolean {
    const all = words.every((word, i) => {
      const token = this.#tokens[this.#next + i];
      return token?.kind === 'word' && token.text.toUpperCase() === word;
    });
    if (all) this.#next += words.length;
    return all;
  }

  keyword(...words: readonly string[]): void {
    if (!this.skip(...words)) this.fail();
  }

  symbol(text: string): void {
    if (!this.skipSymbol(text)) this.fail();
  }

  skipSymbol(text: string): boolean {
    const token = this.#token;
    if (token?.kind !== 'symbol' || token.text !== text) return false;
    this.#next += 1;
    return true;
  }

  /** A name, quoted or not, as written. */
  name(): string {
    const token = this.#token;
    if (token?.kind !== 'word' && token?.kind !== 'name') return this.fail();
    if (token.kind === 'name' && token.text === '')
      throw new TrinoSyntaxError('Zero-length delimited identifier not allowed');
    this.#next += 1;
    return token.text;
  }

  /** Names joined by dots, in lower case, as the engine takes them. */
  path(): readonly string[] {
    const names = [this.name()];
    while (this.skipSymbol('.')) names.push(this.name());
    return names.map((name) => name.toLowerCase());
  }

  string(): string {
    const text = this.skipString();
    return text === undefined ? this.fail() : text;
  }

  skipString(): string | undefined {
    const token = this.#token;
    if (token?.kind !== 'string') return undefined;
    this.#next += 1;
    return token.text;
  }

  skipNumber(): string | undefined {
    const token = this.#token;
    if (token?.kind !== 'number') return undefined;
    this.#next += 1;
    return token.text;
  }

  end(): void {
    if (this.#token !== undefined) this.fail();
  }
}

import { OracleFault } from './oracle-fault.ts';

/**
 * A token by the rules for names, literals and comments of the SQL Language Reference. Words stand in upper case, as the engine reads
 * them; names and strings without their quotes.
 */
export interface OracleToken {
  readonly kind: 'word' | 'name' | 'string' | 'national' | 'number' | 'symbol' | 'bind';
  readonly text: string;
}

const NAME_BYTES = 128;
const STRING_BYTES = 4000;
const CLOSERS: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')', '<': '>' };
const SYMBOLS = new Set(['(', ')', ',', '.', '=', '<>', '||', '*', '+', '-', '/', '@', '<', '>', '<=', '>=', '!=']);

const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

/**
 * Cuts a statement into tokens, comments and blanks left out. Written without any of the connector's code, to be able to contradict it.
 * `bytes`: what a text takes in the character set of the database.
 */
export function oracleTokens(sql: string, bytes: (text: string) => number = utf8Bytes): readonly OracleToken[] {
  const characters = [...sql];
  const tokens: OracleToken[] = [];
  let at = 0;
  const peek = (offset = 0): string => characters[at + offset] ?? '';

  /** From behind the opening quote to behind the closing one. */
  const quoted = (quote: string): string => {
    let text = '';
    for (;;) {
      if (at >= characters.length) throw new OracleFault(quote === "'" ? 1756 : 1740, 'quote not properly terminated');
      if (peek() === quote) {
        if (quote === '"' || peek(1) !== quote) break;
        at += 1;
      }
      text += peek();
      at += 1;
    }
    at += 1;
    return text;
  };

  /** `[text]'` with delimiters of its own. */
  const delimited = (): string => {
    const open = peek();
    if (open === '' || /[ \t\r\n]/.test(open)) throw new OracleFault(911, 'invalid character');
    const close = CLOSERS[open] ?? open;
    at += 1;
    let text = '';
    while (!(peek() === close && peek(1) === "'")) {
      if (at >= characters.length) throw new OracleFault(1756, 'quoted string not properly terminated');
      text += peek();
      at += 1;
    }
    at += 2;
    return text;
  };

  const pushString = (kind: 'string' | 'national', text: string): void => {
    if (bytes(text) > STRING_BYTES) throw new OracleFault(1704, 'string literal too long');
    if (text.includes('\0')) throw new OracleFault(911, 'invalid character');
    tokens.push({ kind, text });
  };

  while (at < characters.length) {
    const character = peek();
    if (/[ \t\r\n\f\v]/.test(character)) {
      at += 1;
    } else if (character === '-' && peek(1) === '-') {
      while (at < characters.length && peek() !== '\n') at += 1;
    } else if (character === '/' && peek(1) === '*') {
      at += 2;
      while (!(peek() === '*' && peek(1) === '/')) {
        if (at >= characters.length) throw new OracleFault(1742, 'comment not terminated properly');
        at += 1;
      }
      at += 2;
    } else if (character === "'") {
      at += 1;
      pushString('string', quoted("'"));
    } else if (character === '"') {
      at += 1;
      const text = quoted('"');
      if (text === '') throw new OracleFault(1741, 'illegal zero-length identifier');
      if (text.includes('\0')) throw new OracleFault(911, 'invalid character');
      tokens.push({ kind: 'name', text });
    } else if (/\p{L}/u.test(character)) {
      let word = '';
      while (/[\p{L}\p{N}_$#]/u.test(peek())) {
        word += peek();
        at += 1;
      }
      const prefix = word.toUpperCase();
      if (peek() === "'" && (prefix === 'N' || prefix === 'Q' || prefix === 'NQ')) {
        at += 1;
        pushString(prefix.startsWith('N') ? 'national' : 'string', prefix.endsWith('Q') ? delimited() : quoted("'"));
      } else {
        tokens.push({ kind: 'word', text: prefix });
      }
    } else if (/[0-9]/.test(character)) {
      let digits = '';
      while (/[0-9.]/.test(peek())) {
        digits += peek();
        at += 1;
      }
      tokens.push({ kind: 'number', text: digits });
    } else if (character === ':' && /[a-z]/i.test(peek(1))) {
      let name = '';
      at += 1;
      while (/[a-z0-9_$#]/i.test(peek())) {
        name += peek();
        at += 1;
      }
      tokens.push({ kind: 'bind', text: name.toUpperCase() });
    } else {
      const pair = character + peek(1);
      const symbol = SYMBOLS.has(pair) ? pair : character;
      if (!SYMBOLS.has(symbol)) throw new OracleFault(911, 'invalid character');
      at += symbol.length;
      tokens.push({ kind: 'symbol', text: symbol });
    }
  }
  return tokens;
}

/** Identifiers longer than the engine allows; annotations may have longer names, so the parser says where it matters. */
export function identifier(text: string): string {
  if (Buffer.byteLength(text, 'utf8') > NAME_BYTES) throw new OracleFault(972, 'identifier is too long');
  return text;
}

/** A token of Transact-SQL with its meaning: names and texts stand as the engine understands them, not as they were written. */
export interface SqlToken {
  readonly kind: 'word' | 'name' | 'variable' | 'number' | 'text' | 'symbol' | 'end';
  /** Words in lower case; names and texts without quotes; variables with their `@`. */
  readonly text: string;
  /** What stands before the next token begins, for messages. */
  readonly at: number;
}

/** Error 102 or 105: the text is not Transact-SQL, or not the part of it that this reader knows. */
export class SyntaxProblem extends Error {
  readonly number: 102 | 105;

  constructor(number: 102 | 105, message: string) {
    super(message);
    this.number = number;
  }
}

const SYMBOLS = ['::', '<>', '<=', '>=', '(', ')', ',', '.', ';', '=', '<', '>', '+', '-', '*'];

/** Characters that a text which is not Unicode has a place for; look-alikes turn into what they look like, the rest into `?`. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { ʼ: "'", '＇': "'", '＂': '"', '′': "'" };

/** Reads Transact-SQL with QUOTED_IDENTIFIER on, strictly: what it does not know is an error. */
export function sqlTokens(source: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  let at = 0;
  const add = (kind: SqlToken['kind'], text: string, end: number) => {
    tokens.push({ kind, text, at });
    at = end;
  };
  while (at < source.length) {
    const skipped = skipBlank(source, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const char = source.charAt(at);
    if (/^[nN]'/.test(source.slice(at, at + 2))) {
      const { text, end } = quoted(source, at + 1, "'");
      add('text', joinLines(text), end);
    } else if (char === "'") {
      const { text, end } = quoted(source, at, "'");
      add('text', toCodePage(joinLines(text)), end);
    } else if (char === '"' || char === '[') {
      const { text, end } = quoted(source, at, char === '"' ? '"' : ']');
      if (text === '' || text.length > 128) throw new SyntaxProblem(102, `a name of ${text.length} characters`);
      add('name', text, end);
    } else {
      const rest = source.slice(at, at + 300);
      const variable = /^@@?[A-Za-z_][A-Za-z0-9_@$#]*/.exec(rest)?.[0];
      const word = /^[A-Za-z_\u00aa-\uffdc][A-Za-z0-9_@$#\u00aa-\uffdc]*/.exec(rest)?.[0];
      const number = /^[0-9]+/.exec(rest)?.[0];
      const symbol = SYMBOLS.find((one) => rest.startsWith(one));
      if (variable !== undefined) add('variable', variable.toLowerCase(), at + variable.length);
      else if (word !== undefined) add('word', word.toLowerCase(), at + word.length);
      else if (number !== undefined) add('number', number, at + number.length);
      else if (symbol !== undefined) add('symbol', symbol, at + symbol.length);
      else throw new SyntaxProblem(102, `Incorrect syntax near ${JSON.stringify(char)}`);
    }
  }
  tokens.push({ kind: 'end', text: '', at: source.length });
  return tokens;
}

/** White space and comments; block comments nest. */
function skipBlank(source: string, from: number): number {
  let at = from;
  for (;;) {
    if (/^[\s\0]$/.test(source.charAt(at))) at += 1;
    else if (source.startsWith('--', at)) {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end + 1;
    } else if (source.startsWith('/*', at)) at = blockEnd(source, at);
    else return at;
  }
}

function blockEnd(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source.startsWith('/*', at)) {
      depth += 1;
      at += 1;
    } else if (source.startsWith('*/', at)) {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new SyntaxProblem(105, 'Missing end comment mark');
}

function quoted(source: string, from: number, close: string): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = from + 1; at < source.length; at += 1) {
    if (source[at] !== close) text += source[at];
    else if (source[at + 1] === close) {
      text += close;
      at += 1;
    } else return { text, end: at + 1 };
  }
  throw new SyntaxProblem(105, 'Unclosed quotation mark');
}

/** A backslash directly before a line break continues the literal on the next line: both go. */
function joinLines(text: string): string {
  return text.replace(/\\\r?\n/g, '');
}

function toCodePage(text: string): string {
  return [...text].map((char) => LOOK_ALIKES[char] ?? (char <= '\u00ff' ? char : '?')).join('');
}

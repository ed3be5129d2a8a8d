/** A token as MySQL reads it with neither ANSI_QUOTES nor NO_BACKSLASH_ESCAPES; `text` is the value of a string or name. */
export interface MysqlToken {
  readonly kind: 'word' | 'string' | 'name' | 'symbol';
  readonly text: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '0': '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\u001a' };

/**
 * Reads a statement by the rules of MySQL's manual, on its own and strictly: semicolons, open quotes, names that are too long,
 * executable comments and adjacent strings (which would be glued together) are errors; so are other comments where none are expected.
 */
export function mysqlTokens(sql: string, comments: 'skip' | 'refuse'): readonly MysqlToken[] {
  const characters = [...sql];
  const tokens: MysqlToken[] = [];
  let at = 0;

  const quoted = (quote: string, escapes: boolean): string => {
    let text = '';
    at += 1;
    for (;;) {
      const character = characters[at];
      if (character === undefined) throw new Error(`${quote} is never closed`);
      const next = characters[at + 1];
      if (character === quote && next === quote) {
        text += quote;
        at += 2;
      } else if (character === quote) {
        at += 1;
        return text;
      } else if (escapes && character === '\\' && next !== undefined) {
        text += next === '%' || next === '_' ? `\\${next}` : (ESCAPES[next] ?? next);
        at += 2;
      } else {
        text += character;
        at += 1;
      }
    }
  };

  const skipComment = (close: string): void => {
    if (/^\/\*(?:M?!)/.test(characters.slice(at, at + 4).join(''))) throw new Error('an executable comment');
    const rest = characters.slice(at).join('');
    const end = rest.indexOf(close, close === '*/' ? 2 : 1);
    if (end < 0 && close === '*/') throw new Error('a comment is never closed');
    at += end < 0 ? characters.length : [...rest.slice(0, end + close.length)].length;
  };

  while (at < characters.length) {
    const character = characters[at] ?? '';
    const two = character + (characters[at + 1] ?? '');
    if (/^\s$/.test(character) && character.charCodeAt(0) < 128) {
      at += 1;
    } else if (character === ';') {
      throw new Error(`a second statement at ${at}`);
    } else if (character === '#' || two === '/*' || (two === '--' && /^\s?$/.test(characters[at + 2] ?? ''))) {
      if (comments === 'refuse') throw new Error(`a comment at ${at}`);
      skipComment(two === '/*' ? '*/' : '\n');
    } else if (/^[xb]'$/i.test(two)) {
      const digits = /^(?:x'(?:[0-9a-f]{2})*|b'[01]*)'/i.exec(characters.slice(at).join(''))?.[0];
      if (digits === undefined) throw new Error(`not the digits of ${two}…'`);
      tokens.push({ kind: 'word', text: digits });
      at += digits.length;
    } else if (character === "'" || character === '"') {
      if (tokens.at(-1)?.kind === 'string') throw new Error('adjacent strings');
      tokens.push({ kind: 'string', text: quoted(character, true) });
    } else if (character === '`') {
      const text = quoted('`', false);
      if ([...text].length > 64) throw new Error('the name is too long');
      tokens.push({ kind: 'name', text });
    } else if (/[\p{L}\p{N}_$]/u.test(character)) {
      let text = '';
      while (/[\p{L}\p{N}_$]/u.test(characters[at] ?? '')) {
        text += characters[at];
        at += 1;
      }
      tokens.push({ kind: 'word', text });
    } else {
      tokens.push({ kind: 'symbol', text: character });
      at += 1;
    }
  }
  return tokens;
}

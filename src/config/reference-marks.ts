/**
 * `${NAME}` may stand unquoted anywhere in a configuration, also inside `{ … }` and `[ … ]`, where YAML itself takes its braces
 * for a map. So before YAML sees the text, the braces of each well-formed reference are exchanged for two characters that the
 * text does not hold otherwise, one for one, which keeps every line and column; afterwards they are exchanged back.
 */
export interface ReferenceMarks {
  readonly text: string;
  /** Puts the braces back into a text that came out of the parser. */
  restore(text: string): string;
}

const REFERENCE = /\$\{((?:file:|[A-Za-z_][A-Za-z0-9_]*)[^{}"'\s,[\]#]*)\}/g;
const PRIVATE_USE = 0xe000;

export function markReferences(source: string): ReferenceMarks {
  const [open, close] = unusedCharacters(source);
  return {
    text: source.replace(REFERENCE, `$$${open}$1${close}`),
    restore: (text) => text.replaceAll(open, '{').replaceAll(close, '}'),
  };
}

/** Two characters of the private use area that the text does not hold; of 6,400, some are always free in what people write. */
function unusedCharacters(text: string): readonly [string, string] {
  const free: string[] = [];
  const lower = text.toLowerCase();
  for (let code = PRIVATE_USE; free.length < 2 && code < 0xf900; code += 1) {
    const char = String.fromCharCode(code);
    // A quoted text may also spell the character by its number.
    if (!text.includes(char) && !lower.includes(code.toString(16))) free.push(char);
  }
  return [free[0] ?? '{', free[1] ?? '}'];
}

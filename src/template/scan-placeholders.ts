import { err, ok, type Result } from '../domain/result.ts';
import { positionAt, type SourcePosition } from './source-position.ts';
import type { TemplateError } from './template.ts';
import { hintFor, VARIABLES, type Variable } from './variables.ts';

/** Stands for a placeholder in the text that the lexer reads. No template may hold it. */
export const HOLE = '\0';

export interface Placeholder {
  readonly variable: Variable;
  readonly position: SourcePosition;
}

/** A template with doubled braces made single and each placeholder replaced by one `HOLE`. */
export interface Skeleton {
  readonly text: string;
  /** By offset of its `HOLE` in `text`. */
  readonly placeholders: ReadonlyMap<number, Placeholder>;
  /** Where a character of `text` stands in the template. */
  positionOf(offset: number): SourcePosition;
}

/** Reads the f-string form: `{name}`, `{{`, `}}`, nothing else. All problems of the text are reported at once. */
export function scanPlaceholders(source: string): Result<Skeleton, readonly TemplateError[]> {
  const errors: TemplateError[] = [];
  const placeholders = new Map<number, Placeholder>();
  const origins: number[] = [];
  let text = '';
  const fail = (offset: number, message: string, hint?: string): void => {
    errors.push({ ...positionAt(source, offset), message, ...(hint === undefined ? {} : { hint }) });
  };
  const put = (character: string, origin: number): void => {
    text += character;
    origins.push(origin);
  };

  for (let at = 0; at < source.length; ) {
    const character = source.charAt(at);
    if ((character === '{' || character === '}') && source[at + 1] === character) {
      put(character, at);
      at += 2;
    } else if (character === '{') {
      const length = /^\{[^{}\r\n]*\}/.exec(source.slice(at))?.[0].length;
      if (length === undefined) {
        fail(at, 'this { opens a placeholder that is never closed', 'write {name}, or {{ for a brace itself');
        at += 1;
        continue;
      }
      const name = source.slice(at + 1, at + length - 1);
      const variable = VARIABLES.get(name);
      if (variable === undefined) {
        fail(at, problemWith(name), hintFor(/^[^!:.[(]*/.exec(name)?.[0] ?? name));
      } else {
        placeholders.set(text.length, { variable, position: positionAt(source, at) });
      }
      put(HOLE, at);
      at += length;
    } else if (character === '}') {
      fail(at, 'this } closes nothing', 'write }} for a brace itself');
      at += 1;
    } else {
      if (character === HOLE) fail(at, 'a template cannot hold the character NUL (U+0000)');
      put(character, at);
      at += 1;
    }
  }
  if (!source.isWellFormed()) fail(0, 'the template holds half of a surrogate pair, which is not a character');
  if (errors.length > 0) return err(errors);
  return ok({ text, placeholders, positionOf: (offset) => positionAt(source, origins[offset] ?? source.length) });
}

function problemWith(name: string): string {
  if (name.trim() === '') return 'this placeholder names no variable';
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `there is no variable {${name}}`;
  return `{${name}} is no plain name: expressions, formats and blanks are not part of the language`;
}

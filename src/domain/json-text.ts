import type { Json } from './json.ts';
import { err, ok, type Result } from './result.ts';

/** Deepest nesting of brackets accepted in any JSON text; real entities stay below 40. */
export const MAX_JSON_DEPTH = 200;

export interface JsonProblem {
  readonly code: 'json-syntax' | 'json-too-deep';
  readonly message: string;
}

/**
 * Parses JSON text of strangers: nesting is bounded before anything walks the result, and members named `__proto__` are left
 * out, so that no later copy of an object can change a prototype.
 */
export function parseJsonText(text: string, maxDepth = MAX_JSON_DEPTH): Result<Json, JsonProblem> {
  if (depthExceeds(text, maxDepth)) {
    return err({ code: 'json-too-deep', message: `The JSON is nested deeper than ${maxDepth} levels.` });
  }
  try {
    // An escape such as \u005f can spell the name as well; both spellings take the slower way.
    const suspicious = text.includes('__proto__') || text.includes('\\u00');
    const value: Json = suspicious
      ? JSON.parse(text, (key, member) => (key === '__proto__' ? undefined : member))
      : JSON.parse(text);
    return ok(value);
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? /position \d+/.exec(cause.message)?.[0] : undefined;
    return err({
      code: 'json-syntax',
      message: `The text is not valid JSON${reason === undefined ? '' : ` (${reason})`}.`,
    });
  }
}

function depthExceeds(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) {
      inString = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

import type { Json } from './json.ts';
import { err, ok, type Result } from './result.ts';

/** Deepest nesting of brackets accepted in any JSON text; real entities stay below 40. */
export const MAX_JSON_DEPTH = 200;
/**
 * A longer text is looked through before it is parsed, so that a large deep one costs no memory. Of a short one the value is looked at
 * afterwards, which is faster.
 */
const SCANNED_FIRST = 65_536;

export interface JsonProblem {
  readonly code: 'json-syntax' | 'json-too-deep';
  readonly message: string;
}

/**
 * Parses JSON text of strangers: nesting is bounded before anything walks the result by recursion, and members named `__proto__`
 * are left out, so that no later copy of an object can change a prototype.
 */
export function parseJsonText(text: string, maxDepth = MAX_JSON_DEPTH): Result<Json, JsonProblem> {
  const scanned = text.length > SCANNED_FIRST;
  if (scanned && bracketsDeeper(text, maxDepth)) return err(tooDeep(maxDepth));
  try {
    const value: Json = JSON.parse(text);
    const looked = scanned ? namesPrototype(text) : lookThrough(value, maxDepth);
    if (looked === 'too-deep') return err(tooDeep(maxDepth));
    // The reviver goes through the value by recursion, so the depth is known by then.
    return ok(
      looked === 'prototype' ? JSON.parse(text, (key, member) => (key === '__proto__' ? undefined : member)) : value,
    );
  } catch (cause) {
    if (!scanned && bracketsDeeper(text, maxDepth)) return err(tooDeep(maxDepth));
    const reason = cause instanceof SyntaxError ? /position \d+/.exec(cause.message)?.[0] : undefined;
    return err({
      code: 'json-syntax',
      message: `The text is not valid JSON${reason === undefined ? '' : ` (${reason})`}.`,
    });
  }
}

function tooDeep(maxDepth: number): JsonProblem {
  return { code: 'json-too-deep', message: `The JSON is nested deeper than ${maxDepth} levels.` };
}

/** Of a text, which may be no JSON at all. */
function bracketsDeeper(text: string, maxDepth: number): boolean {
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

/** On the safe side: an escape such as \u005f can spell the name as well. */
function namesPrototype(text: string): 'prototype' | 'fine' {
  return text.includes('__proto__') || text.includes('\\u00') ? 'prototype' : 'fine';
}

/** Whether a value is nested too deep, or has a member named `__proto__`. Level by level, since recursion is what a deep one would break. */
function lookThrough(value: Json, maxDepth: number): 'too-deep' | 'prototype' | 'fine' {
  let found: 'prototype' | 'fine' = 'fine';
  let next: Nested[] = [];
  const note = (member: Json | undefined): void => {
    if (typeof member === 'object' && member !== null) next.push(member);
  };
  note(value);
  for (let depth = 1; next.length > 0; depth += 1) {
    if (depth > maxDepth) return 'too-deep';
    const level = next;
    next = [];
    for (const nested of level) {
      if (isList(nested)) for (const member of nested) note(member);
      else {
        // Nothing of what JSON gives inherits a member that is listed.
        for (const name in nested) {
          if (name === '__proto__') found = 'prototype';
          note(nested[name]);
        }
      }
    }
  }
  return found;
}

type Nested = Exclude<Json, string | number | boolean | null>;

function isList(value: Nested): value is readonly Json[] {
  return Array.isArray(value);
}

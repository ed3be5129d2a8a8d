import { err, ok, type Result } from './result.ts';

/** Why a fully qualified name cannot be read; `at` is the index of the offending character. */
export interface FqnProblem {
  readonly code: 'fqn-empty' | 'fqn-unterminated-quote' | 'fqn-text-after-quote';
  readonly at: number;
  readonly message: string;
}

/**
 * Splits a fully qualified name into its unquoted parts: `a."b.c".d` gives `a`, `b.c`, `d`.
 * Inside quotes `\"` is a quote; a run of backslashes counts as escapes only where a quote follows it, so that names with
 * backslashes read as OpenMetadata writes them. Outside of quotes only `\"` is special (OpenMetadata writes a name that holds
 * a quote so, without surrounding quotes).
 */
export function parseFqn(fqn: string): Result<readonly string[], FqnProblem> {
  if (fqn === '') return err(problem('fqn-empty', 0, 'The name is empty.'));
  if (!fqn.includes('"')) return ok(fqn.split('.'));
  const parts: string[] = [];
  let at = 0;
  while (at <= fqn.length) {
    const part = fqn[at] === '"' ? quotedPart(fqn, at) : plainPart(fqn, at);
    if (!part.ok) return part;
    parts.push(part.value.text);
    at = part.value.end + 1;
  }
  return ok(parts);
}

/** Joins parts to the canonical form: a part stands in quotes exactly when it needs them. Inverse of `parseFqn`. */
export function formatFqn(parts: readonly string[]): string {
  return parts.map(formatFqnPart).join('.');
}

/** One part in the canonical form. */
export function formatFqnPart(part: string): string {
  if (part !== '' && !/[."]/.test(part)) return part;
  const escaped = part.replace(/(\\*)(")/g, '$1$1\\"').replace(/(\\+)$/, '$1$1');
  return `"${escaped}"`;
}

const RESERVED: readonly (readonly [string, string])[] = [
  ['__reserved__colon__', '::'],
  ['__reserved__arrow__', '>'],
  ['__reserved__quote__', '"'],
];

/** A name as the source system knows it: OpenMetadata's ingestion stores characters that it reserves in an encoded form. */
export function decodeReserved(name: string): string {
  if (!name.includes('__reserved__')) return name;
  return RESERVED.reduce((text, [code, char]) => text.replaceAll(code, char), name);
}

interface Part {
  readonly text: string;
  /** Index of the separating dot, or the length of the whole name. */
  readonly end: number;
}

function plainPart(fqn: string, start: number): Result<Part, FqnProblem> {
  const dot = fqn.indexOf('.', start);
  const end = dot === -1 ? fqn.length : dot;
  return ok({ text: fqn.slice(start, end).replaceAll('\\"', '"'), end });
}

function quotedPart(fqn: string, start: number): Result<Part, FqnProblem> {
  let text = '';
  let at = start + 1;
  while (at < fqn.length) {
    let slashes = 0;
    while (fqn[at + slashes] === '\\') slashes += 1;
    const next = at + slashes;
    if (fqn[next] !== '"') {
      text += fqn.slice(at, next + 1);
      at = next + 1;
      continue;
    }
    text += '\\'.repeat(Math.floor(slashes / 2));
    at = next + 1;
    if (slashes % 2 === 1) {
      text += '"';
      continue;
    }
    if (at === fqn.length || fqn[at] === '.') return ok({ text, end: at });
    return err(problem('fqn-text-after-quote', at, `A dot or the end has to follow the quote at character ${at}.`));
  }
  return err(problem('fqn-unterminated-quote', start, `The quote at character ${start + 1} is never closed.`));
}

function problem(code: FqnProblem['code'], at: number, message: string): FqnProblem {
  return { code, at, message };
}

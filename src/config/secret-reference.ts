import { err, ok, type Result } from '../domain/result.ts';

/** A piece of a configured text: as it stands, or a reference that is resolved when the text is used. */
export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string }
  | { readonly kind: 'file'; readonly path: string };

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Splits a text at its references: `${NAME}`, `${NAME:fallback}` and `${file:/absolute/path}`. `$${` stands for `${` itself.
 * The error says what is wrong with a reference, never what stands around it.
 */
export function parseReferences(source: string): Result<readonly TextPart[], string> {
  const parts: TextPart[] = [];
  let text = '';
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf('${', at);
    if (open === -1) break;
    if (source.charAt(open - 1) === '$' && open - 1 >= at) {
      text += `${source.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    text += source.slice(at, open);
    const close = source.indexOf('}', open);
    if (close === -1) return err('a reference begins with ${ and never ends');
    const part = parseReference(source.slice(open + 2, close));
    if (!part.ok) return part;
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
    parts.push(part.value);
    at = close + 1;
  }
  text += source.slice(at);
  if (text !== '') parts.push({ kind: 'text', text });
  return ok(parts);
}

function parseReference(inner: string): Result<TextPart, string> {
  if (inner.startsWith('file:')) {
    const path = inner.slice('file:'.length);
    return path.startsWith('/') ? ok({ kind: 'file', path }) : err(`\${file:…} needs an absolute path`);
  }
  const colon = inner.indexOf(':');
  const name = colon === -1 ? inner : inner.slice(0, colon);
  if (!NAME.test(name)) return err(`\${…} holds the name of a variable: letters, digits and underscores`);
  return ok(colon === -1 ? { kind: 'env', name } : { kind: 'env', name, fallback: inner.slice(colon + 1) });
}

/** Whether anything in the text is resolved only when it is used. */
export function hasReference(text: string): boolean {
  const parts = parseReferences(text);
  return !parts.ok || parts.value.some((part) => part.kind !== 'text');
}

import type { Dialect, QuoteRefusal } from './dialect.ts';

/** Why a text cannot be sent to any engine: NUL or half of a surrogate pair; undefined when it can. */
export function refuseText(text: string): QuoteRefusal | undefined {
  if (text.includes('\0')) {
    return { code: 'nul', message: 'the text holds the character NUL (U+0000), which no engine stores' };
  }
  if (!text.isWellFormed()) {
    return { code: 'lone-surrogate', message: 'the text holds half of a surrogate pair, which is not a character' };
  }
  return undefined;
}

/**
 * Why a name cannot be an identifier of the dialect; undefined when it can.
 * Too long is refused, since engines cut such names silently and then mean another object.
 */
export function refuseName(name: string, limit: Dialect['identifier']): QuoteRefusal | undefined {
  const refusal = refuseText(name);
  if (refusal !== undefined) return refusal;
  if (name === '') return { code: 'not-representable', message: 'the name is empty' };
  const length = limit.unit === 'bytes' ? Buffer.byteLength(name, 'utf8') : [...name].length;
  if (length > limit.max) {
    return { code: 'too-long', message: `the name has ${length} ${limit.unit}, the engine allows ${limit.max}` };
  }
  return undefined;
}

import { err, ok, type Result } from '../src/domain/result.ts';
import type { TextLimit } from './contract.ts';

/** What stands at the end of a text that was cut, so that readers of the source see that something is missing. */
export const CUT_MARK = ' … [cut]';

type Unit = TextLimit['unit'];

/** Size of a text in a system's own unit. */
export function sizeOf(text: string, unit: Unit): number {
  if (unit === 'bytes') return Buffer.byteLength(text, 'utf8');
  if (unit === 'utf16') return text.length;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

/** A text that fits: as it was, or cut with a visible mark and a note for the outcome. */
export interface FittedText {
  readonly text: string;
  readonly note?: string;
}

/**
 * Makes a text fit into a limit. Never splits a character. With `refuse` the error is the message for a person.
 */
export function fitText(
  text: string,
  limit: Pick<TextLimit, 'max' | 'unit'>,
  overlong: 'cut' | 'refuse',
): Result<FittedText, string> {
  const size = sizeOf(text, limit.unit);
  if (size <= limit.max) return ok({ text });
  const unit = limit.unit === 'utf16' ? 'UTF-16 units' : limit.unit;
  if (overlong === 'refuse') return err(`The text has ${size} ${unit}; the limit is ${limit.max}. Shorten it.`);
  const room = limit.max - sizeOf(CUT_MARK, limit.unit);
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += sizeOf(character, limit.unit);
    if (used > room) break;
    end += character.length;
  }
  return ok({
    text: text.slice(0, end) + CUT_MARK,
    note: `The text was cut from ${size} to at most ${limit.max} ${unit}.`,
  });
}

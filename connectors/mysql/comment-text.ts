import type { Level } from '../../src/domain/entity.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';
import { fitText } from '../text-limit.ts';
import { mysqlSpec } from './spec.ts';

/** A text in the form that a comment can hold, with a note for each thing that had to be changed. Empty: no comment. */
export interface CommentText {
  readonly text: string;
  /** The text as a quoted SQL string. */
  readonly literal: string;
  readonly notes: readonly string[];
}

export interface CommentRefusal {
  readonly code: string;
  readonly message: string;
}

/**
 * Brings a description into the form that the server stores without loss. All of this is what MySQL and MariaDB can hold, not taste:
 * comments are utf8mb3 (MariaDB 10.11 writes `?` for anything else without a word), have limits, and those of schemas live on one
 * line of a file.
 */
export function commentText(
  description: string,
  level: Level,
  overlong: 'cut' | 'refuse',
): Result<CommentText, CommentRefusal> {
  // Checked before the cut, so that what the cut takes away cannot hide it.
  const sendable = mysqlDialect.quoteLiteral(description);
  if (!sendable.ok) return err(sendable.error);
  const notes: string[] = [];
  let text = withoutAstral(description, notes);
  if (level === 'schema') text = onOneLine(text, notes);
  const limit = mysqlSpec.limits.find((one) => one.level === level);
  // A text has at most as many characters as UTF-16 units, which nobody has to count.
  if (limit !== undefined && (limit.unit === 'bytes' || text.length > limit.max)) {
    const fitted = fitText(text, limit, overlong);
    if (!fitted.ok) return err({ code: 'description-too-long', message: fitted.error });
    text = fitted.value.text;
    if (fitted.value.note !== undefined) notes.push(fitted.value.note);
  }
  const literal = text === description ? sendable : mysqlDialect.quoteLiteral(text);
  return literal.ok ? ok({ text, literal: literal.value, notes }) : err(literal.error);
}

const ASTRAL = /[\u{10000}-\u{10ffff}]/gu;
/** Without it there is none of them; found or not far sooner. */
const SURROGATE = /[\ud800-\udfff]/;

function withoutAstral(text: string, notes: string[]): string {
  if (!SURROGATE.test(text)) return text;
  const count = text.match(ASTRAL)?.length ?? 0;
  if (count === 0) return text;
  notes.push(
    `${count} character${count === 1 ? '' : 's'} beyond U+FFFF (such as emoji) cannot stand in a comment of MySQL or MariaDB; U+FFFD stands for each.`,
  );
  return text.replaceAll(ASTRAL, '\ufffd');
}

/** Bytes that the server does not count as visible, in the character set cp1252, whatever character they belong to. */
const INVISIBLE_BYTES: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d, 0xa0]);

/**
 * MariaDB keeps a schema's comment on one line of the schema's options file, unescaped: after a restart what follows a line break is
 * gone, or is read as an option and changes the schema's default character set. Bytes at the end that are not visible in cp1252 are cut
 * off then as well: blanks and control characters, but also the second half of `à`, `Í` or `я`. (MariaDB 10.11.19, measured.)
 */
function onOneLine(text: string, notes: string[]): string {
  const joined = text.replaceAll(/\r\n|\n|\r/g, ' ');
  if (joined !== text) notes.push('Line breaks became blanks: MariaDB keeps the comment of a schema on one line.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what the server cuts off.
  const trimmed = joined.replace(/[\u0000-\u0020\u007f]+$/, '');
  if (trimmed !== joined) {
    notes.push('Blanks at the end were left out: MariaDB does not keep them in the comment of a schema.');
  }
  if (!INVISIBLE_BYTES.has(Buffer.from(trimmed, 'utf8').at(-1) ?? 0)) return trimmed;
  notes.push(
    'A full stop was added: MariaDB would lose the last character of this comment of a schema at its next start.',
  );
  return `${trimmed}.`;
}

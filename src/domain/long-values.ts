import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { OutcomeItem } from './outcome.ts';

/** Longest value that stands in an outcome, in UTF-16 units; a longer one is cut, with a mark and its hash. */
const MAX_VALUE = 4096;
/** Room for the statements of one item together. */
const MAX_STATEMENTS = 4 * MAX_VALUE;

/** The value, or its beginning with its length and hash. */
function cut(value: string): string {
  if (value.length <= MAX_VALUE) return value;
  const hash = createHash('sha256').update(value).digest('hex');
  return `${value.slice(0, MAX_VALUE).toWellFormed()}… (cut; ${value.length} characters, sha256 ${hash})`;
}

/** As many statements as fit into four values, each cut, and the number of those left out. */
export function boundedStatements(statements: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let room = MAX_STATEMENTS;
  for (const statement of statements.map(cut)) {
    if (statement.length > room) return [...kept, `… (${statements.length - kept.length} more statements)`];
    kept.push(statement);
    room -= statement.length;
  }
  return kept;
}

/** Whether something of the item does not stand whole in an outcome. */
export function hasLongValues({ before, after, statements, reason, notes, failure }: OutcomeItem): boolean {
  if ((before?.length ?? 0) > MAX_VALUE || (after?.length ?? 0) > MAX_VALUE) return true;
  if ((reason?.length ?? 0) > MAX_VALUE || (failure?.message.length ?? 0) > MAX_VALUE) return true;
  return hasLong(statements, MAX_STATEMENTS) || hasLong(notes, MAX_VALUE);
}

function hasLong(texts: readonly string[] | undefined, room: number): boolean {
  if (texts === undefined) return false;
  let units = 0;
  for (const { length } of texts) {
    if (length > MAX_VALUE) return true;
    units += length;
  }
  return units > room;
}

/** The item as it stands in an outcome. */
export function withCutValues(item: OutcomeItem): OutcomeItem {
  const { before, after, statements, reason, notes, failure } = item;
  return {
    ...item,
    ...(before === undefined ? {} : { before: cut(before) }),
    ...(after === undefined ? {} : { after: cut(after) }),
    ...(statements === undefined ? {} : { statements: boundedStatements(statements) }),
    ...(reason === undefined ? {} : { reason: cut(reason) }),
    ...(notes === undefined ? {} : { notes: boundedNotes(notes) }),
    ...(failure === undefined ? {} : { failure: { ...failure, message: cut(failure.message) } }),
  };
}

function boundedNotes(notes: readonly string[]): readonly string[] {
  return hasLong(notes, MAX_VALUE) ? [cut(notes.join('\n'))] : notes;
}

const wholeValues = z.array(
  z.object({
    sequence: z.number(),
    channel: z.string().optional(),
    aspect: z.string().optional(),
    object: z.string(),
    before: z.string().optional(),
    after: z.string().optional(),
    statements: z.array(z.string()).optional(),
  }),
);

type WholeValue = z.infer<typeof wholeValues>[number];

/** The whole values of those items that do not hold all of theirs, by their keys. */
export type WholeValues = ReadonlyMap<string, WholeValue>;

type ItemKey = Pick<WholeValue, 'sequence' | 'channel' | 'aspect' | 'object'>;

function keyOf({ sequence, channel, aspect, object }: ItemKey): string {
  return JSON.stringify([sequence, channel, aspect, object]);
}

export function encodeWholeValues(items: readonly OutcomeItem[]): Uint8Array {
  const whole = items.filter(hasLongValues).map(({ sequence, channel, aspect, object, before, after, statements }) => {
    return { sequence, channel, aspect, object, before, after, statements };
  });
  return Buffer.from(JSON.stringify(whole));
}

/** Undefined when the data is none of ours. */
export function parseWholeValues(data: Uint8Array): WholeValues | undefined {
  try {
    const values = wholeValues.parse(JSON.parse(Buffer.from(data).toString('utf8')));
    return new Map(values.map((value) => [keyOf(value), value]));
  } catch {
    return undefined;
  }
}

/** The item with its whole values in place of the cut ones. */
export function withWholeValues<T extends OutcomeItem>(item: T, values: WholeValues): T {
  const found = values.get(keyOf(item));
  if (found === undefined) return item;
  const { before, after, statements } = found;
  return {
    ...item,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(statements === undefined ? {} : { statements }),
  };
}

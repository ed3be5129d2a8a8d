import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { OutcomeItem } from './outcome.ts';

/** Longest value that stands in an outcome, in UTF-16 units; a longer one is cut, with a mark and its hash. */
const MAX_VALUE = 4096;
/** The same where an outcome has very many values: its parts must not push each other out of their subject. */
const MANY_VALUE = 256;
/** Units of all values together from which on they are very many. */
const MANY_UNITS = 1_000_000;
/** The statements of one item together may be so many values long. */
const STATEMENTS = 4;

/** How long a value may be in an outcome with these items. */
export function valueLimit(items: readonly OutcomeItem[]): number {
  let units = 0;
  for (const { before, after, statements } of items) {
    units += (before?.length ?? 0) + (after?.length ?? 0);
    if (statements !== undefined) for (const { length } of statements) units += length;
  }
  return units > MANY_UNITS ? MANY_VALUE : MAX_VALUE;
}

/** The value, or its beginning with its length and hash. */
function cut(value: string, limit: number): string {
  if (value.length <= limit) return value;
  const hash = createHash('sha256').update(value).digest('hex');
  return `${value.slice(0, limit).toWellFormed()}… (cut; ${value.length} characters, sha256 ${hash})`;
}

/** As many statements as fit into four values, each cut, and the number of those left out. */
export function boundedStatements(statements: readonly string[], limit = MAX_VALUE): readonly string[] {
  const kept: string[] = [];
  let room = STATEMENTS * limit;
  for (const whole of statements) {
    const statement = cut(whole, limit);
    if (statement.length > room) return [...kept, `… (${statements.length - kept.length} more statements)`];
    kept.push(statement);
    room -= statement.length;
  }
  return kept;
}

/** Whether something of the item does not stand whole in an outcome whose values may be so long. */
export function hasLongValues(item: OutcomeItem, limit: number): boolean {
  const { before, after, statements, reason, notes, failure } = item;
  if ((before?.length ?? 0) > limit || (after?.length ?? 0) > limit) return true;
  if ((reason?.length ?? 0) > MAX_VALUE || (failure?.message.length ?? 0) > MAX_VALUE) return true;
  return hasLong(statements, limit, STATEMENTS * limit) || hasLong(notes, MAX_VALUE, MAX_VALUE);
}

function hasLong(texts: readonly string[] | undefined, limit: number, room: number): boolean {
  if (texts === undefined) return false;
  let units = 0;
  for (const { length } of texts) {
    if (length > limit) return true;
    units += length;
  }
  return units > room;
}

/** The item as it stands in such an outcome. */
export function withCutValues(item: OutcomeItem, limit: number): OutcomeItem {
  const { before, after, statements, reason, notes, failure } = item;
  return {
    ...item,
    ...(before === undefined ? {} : { before: cut(before, limit) }),
    ...(after === undefined ? {} : { after: cut(after, limit) }),
    ...(statements === undefined ? {} : { statements: boundedStatements(statements, limit) }),
    ...(reason === undefined ? {} : { reason: cut(reason, MAX_VALUE) }),
    ...(notes === undefined ? {} : { notes: boundedNotes(notes) }),
    ...(failure === undefined ? {} : { failure: { ...failure, message: cut(failure.message, MAX_VALUE) } }),
  };
}

function boundedNotes(notes: readonly string[]): readonly string[] {
  return hasLong(notes, MAX_VALUE, MAX_VALUE) ? [cut(notes.join('\n'), MAX_VALUE)] : notes;
}

const wholeValue = z.object({
  sequence: z.number(),
  channel: z.string().optional(),
  aspect: z.string().optional(),
  object: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  statements: z.array(z.string()).optional(),
});

type WholeValue = z.infer<typeof wholeValue>;

/** The whole values of those items that do not hold all of theirs, by their keys. */
export type WholeValues = ReadonlyMap<string, WholeValue>;

type ItemKey = Pick<WholeValue, 'sequence' | 'channel' | 'aspect' | 'object'>;

function keyOf({ sequence, channel, aspect, object }: ItemKey): string {
  return JSON.stringify([sequence, channel, aspect, object]);
}

/** The whole values of the items that do not hold all of theirs: a line of JSON for each, made one after the other. */
export function* encodeWholeValues(items: readonly OutcomeItem[], limit: number): Generator<Uint8Array> {
  for (const item of items) {
    if (!hasLongValues(item, limit)) continue;
    const { sequence, channel, aspect, object, before, after, statements } = item;
    const line = JSON.stringify({ sequence, channel, aspect, object, before, after, statements });
    yield Buffer.from(`${line}\n`);
  }
}

/** Undefined when the data is none of ours. */
export function parseWholeValues(data: Uint8Array): WholeValues | undefined {
  const values = new Map<string, WholeValue>();
  try {
    for (let from = 0; from < data.length; ) {
      const end = data.indexOf(0x0a, from);
      if (end < 0) return undefined;
      const value = wholeValue.parse(JSON.parse(Buffer.from(data.subarray(from, end)).toString('utf8')));
      values.set(keyOf(value), value);
      from = end + 1;
    }
    return values;
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

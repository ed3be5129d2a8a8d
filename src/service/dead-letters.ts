import { randomUUID } from 'node:crypto';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { z } from 'zod';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher, StoredMessage } from '../../streams/nats/contract.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { readNewestFirst, readOldestFirst } from '../../streams/nats/read-stream.ts';
import { getBySequence } from '../../streams/nats/stored-messages.ts';
import { toStreamError } from '../../streams/nats/stream-error.ts';
import type { ChangeEvent } from '../domain/change-event.ts';
import { CHANGE_HEADERS } from '../domain/change-headers.ts';
import type { DeadLetter } from '../domain/outcome.ts';
import { parseMessage } from '../domain/parse-change-event.ts';
import { parseDeadLetter } from '../domain/parse-outcome.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { BUCKETS, encodeToken, STREAMS } from '../domain/subjects.ts';
import { publishChange } from '../intake/publish-change.ts';
import { HEADER_ROOM, storeLargeEvent } from '../intake/store-large-event.ts';
import type { StoredDeadLetter } from './history.ts';
import { rawEventSubject } from './publish-events.ts';

/** Finds a letter by its sequence in the stream (`17`) or by its id. */
export async function findDeadLetter(link: NatsLink, name: string): Promise<StoredDeadLetter | undefined> {
  if (/^[1-9]\d{0,14}$/.test(name)) {
    const bySequence = toLetter(await getBySequence(link, STREAMS.deadLetters, Number(name)));
    if (bySequence !== undefined) return bySequence;
  }
  // An id is one token of the subject; anything else could be a wildcard.
  if (!/^[A-Za-z0-9_=-]+$/.test(name)) return undefined;
  const filter = `deadletter.*.${name}`;
  for await (const message of readNewestFirst(link, { stream: STREAMS.deadLetters, filter, limit: 1 })) {
    return toLetter(message);
  }
  return undefined;
}

/** All letters (of a target) as they stand now, oldest first, one at a time: there may be gigabytes of them. */
export async function* allDeadLetters(link: NatsLink, target?: string): AsyncGenerator<StoredDeadLetter> {
  const token = target === undefined ? '*' : target === '_intake' ? target : encodeToken(target);
  const reading = { stream: STREAMS.deadLetters, filter: `deadletter.${token}.*`, limit: Number.POSITIVE_INFINITY };
  for await (const message of readOldestFirst(link, reading)) {
    const stored = toLetter(message);
    if (stored !== undefined) yield stored;
  }
}

function toLetter(message: StoredMessage | undefined): StoredDeadLetter | undefined {
  const letter = message === undefined ? undefined : parseDeadLetter(message.data);
  return message === undefined || letter === undefined ? undefined : { sequence: message.sequence, letter };
}

/** Why a letter was discarded, as it is kept. */
const discardedSchema = z.object({ id: z.string(), by: z.string(), at: z.number(), reason: z.string() });
export type Discarded = z.output<typeof discardedSchema>;

/** Removes a letter for good; the note (who, when, why) is stored first and stays. */
export async function discardDeadLetter(link: NatsLink, stored: StoredDeadLetter, note: Discarded): Promise<void> {
  await openBucket(link, BUCKETS.control).put(discardKey(stored.sequence), JSON.stringify(note));
  await removeDeadLetter(link, stored.sequence);
}

/** The note of a letter that was discarded. */
export async function discardedNote(link: NatsLink, sequence: number): Promise<Discarded | undefined> {
  const entry = await openBucket(link, BUCKETS.control).get(discardKey(sequence));
  if (entry === undefined) return undefined;
  const parsed = discardedSchema.safeParse(JSON.parse(entry.value));
  return parsed.success ? parsed.data : undefined;
}

const discardKey = (sequence: number): string => `discarded.${sequence}`;

export async function removeDeadLetter(link: NatsLink, sequence: number): Promise<void> {
  try {
    await link.jsm.streams.deleteMessage(STREAMS.deadLetters, sequence);
  } catch (error) {
    throw toStreamError(error, `remove message ${sequence} of ${STREAMS.deadLetters}`);
  }
}

/** The message that a replay publishes: a new change for the lanes, or (what intake could not read) a raw event for intake. */
export type Replay =
  | {
      readonly kind: 'change';
      /** With its new id. */
      readonly event: ChangeEvent;
      readonly replayOf: string;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'raw'; readonly subject: string; readonly body: string };

/**
 * Makes the replay of a letter: the same event with an id of its own, meant only for the target and channel that it failed on.
 * It compares as the change that was first tried, also when the letter is that of a replay. An error says why it cannot be.
 */
export function planReplay(letter: DeadLetter, eventId: string, now: number): Result<Replay, string> {
  if (letter.bodyCut === true) {
    return err('only the beginning of its body is kept; publish the event again from its source');
  }
  const part = parseMessage(letter.body).find((one) => one.kind === 'change');
  if (letter.target === undefined) {
    const subject = part === undefined ? 'events.replay' : rawEventSubject(part.event.service);
    return ok({ kind: 'raw', subject, body: letter.body });
  }
  if (part === undefined) return err('its body holds no change event that can be read; discard it');
  const replayOf = letter.rank?.eventId ?? part.event.id;
  return ok({
    kind: 'change',
    event: { ...part.event, id: eventId },
    replayOf,
    body: JSON.stringify({ ...part.raw, id: eventId }),
    headers: {
      [CHANGE_HEADERS.receivedAt]: String(now),
      [CHANGE_HEADERS.replayOf]: replayOf,
      [CHANGE_HEADERS.replayTarget]: letter.target,
      ...(letter.channel === undefined ? {} : { [CHANGE_HEADERS.replayChannel]: letter.channel }),
    },
  });
}

/** What a replay led to. */
export interface Replayed {
  /** Sequences of the letters that it answers for. */
  readonly letters: readonly number[];
  readonly result: 'replayed' | 'cannot be replayed';
  readonly target: string;
  readonly channel?: string;
  /** Event id of the new change. */
  readonly eventId?: string;
  readonly replayOf?: string;
  readonly stream?: string;
  readonly sequence?: number;
  readonly reason?: string;
}

/**
 * Replays letters in the order given. A change that failed for several of its objects is replayed once per target and channel.
 * `maxPayload`: the largest message that the server takes, in bytes. `stored` is called for each letter whose replay is confirmed.
 */
export async function replayLetters(
  publisher: Publisher,
  maxPayload: number,
  letters: AsyncIterable<StoredDeadLetter> | Iterable<StoredDeadLetter>,
  now: () => number,
  stored: (sequence: number) => Promise<void>,
): Promise<readonly Replayed[]> {
  const done = new Map<string, Replayed>();
  for await (const one of letters) {
    const key = replayKey(one);
    const before = done.get(key);
    const answer = before ?? (await replayLetter(publisher, maxPayload, one.letter, now()));
    done.set(key, { ...answer, letters: [...answer.letters, one.sequence] });
    if (answer.result === 'replayed') await stored(one.sequence);
  }
  return [...done.values()];
}

function replayKey({ sequence, letter }: StoredDeadLetter): string {
  if (letter.target === undefined) return `intake ${sequence}`;
  return JSON.stringify([letter.target, letter.channel, letter.rank?.eventId ?? letter.eventId ?? sequence]);
}

/** Publishes the replay of one letter; resolves when the stream has stored it. */
async function replayLetter(
  publisher: Publisher,
  maxPayload: number,
  letter: DeadLetter,
  now: number,
): Promise<Replayed> {
  const base = {
    letters: [],
    target: letter.target ?? '_intake',
    ...(letter.channel === undefined ? {} : { channel: letter.channel }),
  };
  const replay = planReplay(letter, randomUUID(), now);
  if (!replay.ok) return { ...base, result: 'cannot be replayed', reason: replay.error };
  if (replay.value.kind === 'raw') {
    const { sequence } = await publisher.publish(replay.value.subject, replay.value.body);
    return { ...base, result: 'replayed', stream: STREAMS.events, sequence };
  }
  const { event, replayOf, body, headers } = replay.value;
  const whole = Buffer.from(body);
  const large = whole.length > maxPayload - HEADER_ROOM;
  const data = large ? await storeLargeEvent(publisher, event.id, whole, { maxPayload, giveUpAfterMs: 60_000 }) : whole;
  const settings = { headers: large ? { ...headers, [CHANGE_HEADERS.large]: '1' } : headers };
  const { sequence } = await publishChange(publisher, event, data, settings, ROOT_CONTEXT);
  return { ...base, result: 'replayed', eventId: event.id, replayOf, stream: STREAMS.changes, sequence };
}

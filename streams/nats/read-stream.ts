import type { NatsLink } from './connection.ts';
import type { StoredMessage } from './contract.ts';
import { getNext } from './stored-messages.ts';
import { lookAtStream } from './stream-look.ts';

export interface ReadStreamOptions {
  readonly stream: string;
  /** Subject filter, wildcards allowed. */
  readonly filter: string;
  /** At most so many messages. */
  readonly limit: number;
  /** Oldest first: begin here (inclusive). Newest first: begin below it. */
  readonly sequence?: number;
}

/** Messages that a window of the newest-first reading keeps in memory at most. */
const KEPT = 256;
const FIRST_WINDOW = 64;

/**
 * Messages of a stream as they stand, oldest first, up to what was last when the reading began. Each is asked for by itself
 * with a direct get, so that no consumer is left behind and the reader sets the pace.
 */
export async function* readOldestFirst(link: NatsLink, options: ReadStreamOptions): AsyncGenerator<StoredMessage> {
  const { last } = await lookAtStream(link, options.stream);
  let next = options.sequence ?? 0;
  for (let count = 0; count < options.limit; count += 1) {
    const message = await getNext(link, options.stream, next, options.filter);
    if (message === undefined || message.sequence > last) return;
    yield message;
    next = message.sequence + 1;
  }
}

/**
 * Messages of a stream, newest first. NATS can only search forwards: windows of sequences are read from the end backwards,
 * each forwards in itself, and grow while they hold few messages that match.
 */
export async function* readNewestFirst(link: NatsLink, options: ReadStreamOptions): AsyncGenerator<StoredMessage> {
  const { first, last } = await lookAtStream(link, options.stream);
  let end = Math.min(last, (options.sequence ?? last + 1) - 1);
  let size = FIRST_WINDOW;
  let count = 0;
  while (end >= first && count < options.limit) {
    const start = Math.max(first, end - size + 1);
    const { kept, dropped } = await readWindow(link, options, start, end, Math.min(KEPT, options.limit - count));
    for (const message of kept.toReversed()) {
      yield message;
      count += 1;
    }
    const oldest = kept[0]?.sequence;
    // What did not fit into memory is read again, in a window of its own.
    end = dropped && oldest !== undefined ? oldest - 1 : start - 1;
    size = kept.length < KEPT / 4 ? size * 4 : Math.max(FIRST_WINDOW, Math.floor(size / (dropped ? 4 : 1)));
  }
}

/** The newest `room` matches between two sequences (inclusive), oldest first, and whether there were more. */
async function readWindow(
  link: NatsLink,
  options: ReadStreamOptions,
  start: number,
  end: number,
  room: number,
): Promise<{ kept: StoredMessage[]; dropped: boolean }> {
  const kept: StoredMessage[] = [];
  let dropped = false;
  let next = start;
  while (next <= end) {
    const message = await getNext(link, options.stream, next, options.filter);
    if (message === undefined || message.sequence > end) break;
    kept.push(message);
    if (kept.length > room) {
      kept.shift();
      dropped = true;
    }
    next = message.sequence + 1;
  }
  return { kept, dropped };
}

import type { ParkedChange, ParkingStore } from '../../actors/lane/parking-store.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { MessageHeaders, Publisher, StoredMessage } from '../../streams/nats/contract.ts';
import { getBySequence, getLast } from '../../streams/nats/stored-messages.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { listSubjects, purgeSubject } from '../../streams/nats/stream-subjects.ts';
import { type AssetKey, slotOf } from '../domain/asset.ts';
import { CHANGE_HEADERS } from '../domain/change-headers.ts';
import { parkedFilter, parkedSubject, parseParkedSubject, STREAMS } from '../domain/subjects.ts';
import { changeBody } from './change-body.ts';

export interface ParkedStoreOptions {
  readonly link: NatsLink;
  readonly publisher: Publisher;
  readonly target: string;
  readonly partition: number;
  readonly partitions: number;
  /** Tries until it succeeds or the lane is lost. */
  readonly persist: <T>(action: () => Promise<T>) => Promise<T>;
}

/** On a parked copy: the change's time in CHANGES, and until when its asset waits; epoch milliseconds. */
const STREAM_TIME = 'backflow-stream-time';
const DUE = 'backflow-due';
/** Requests of one call that are under way at once. */
const AT_ONCE = 16;

/** Parked changes on real NATS: one subject each in the stream PARKED, with the headers of the original. */
export function createParkedStore(options: ParkedStoreOptions): ParkingStore {
  const { link, publisher, target, persist } = options;

  async function copy(key: AssetKey, sequence: number, due: number): Promise<boolean> {
    const original = await getBySequence(link, STREAMS.changes, sequence);
    if (original === undefined) return false;
    const own = { [STREAM_TIME]: String(original.time), [DUE]: String(due) };
    const headers = { ...withoutNats(original.headers), ...own };
    await publisher.publish(parkedSubject(target, key, sequence), original.data, { headers });
    return true;
  }

  async function find(key: AssetKey, sequence: number): Promise<ParkedChange | undefined> {
    const parked = await getLast(link, STREAMS.parked, parkedSubject(target, key, sequence));
    const message = parked ?? (await getBySequence(link, STREAMS.changes, sequence));
    return message === undefined ? undefined : await parkedChange(sequence, message);
  }

  async function parkedChange(sequence: number, message: StoredMessage): Promise<ParkedChange | undefined> {
    const data = await changeBody(link, message);
    if (data === undefined) return undefined;
    const { [STREAM_TIME]: time, [DUE]: _due, [CHANGE_HEADERS.large]: _large, ...headers } = message.headers;
    return { sequence, streamTime: Number(time ?? message.time), headers: withoutNats(headers), data };
  }

  return {
    async park(key, sequences, due) {
      try {
        const copies = await eachOf(sequences, (sequence) => copy(key, sequence, due));
        return copies.every((copied) => copied);
      } catch (error) {
        // Full, too large, NATS is away: the lane does without for now.
        if (error instanceof StreamError) return false;
        throw error;
      }
    },
    async parkedChanges(key, sequences) {
      const found = await persist(() => eachOf(sequences, (sequence) => find(key, sequence)));
      return new Map(found.flatMap((change) => (change === undefined ? [] : [[change.sequence, change] as const])));
    },
    async unpark(key, sequences) {
      await eachOf(sequences, (sequence) =>
        persist(() => purgeSubject(link, STREAMS.parked, parkedSubject(target, key, sequence))),
      );
    },
    async listParked() {
      const found = new Map<AssetKey, number[]>();
      for (const subject of await persist(() => listSubjects(link, STREAMS.parked, parkedFilter(target)))) {
        const { key, sequence } = parseParkedSubject(subject);
        if (slotOf(key) % options.partitions !== options.partition) continue;
        const sequences = found.get(key);
        if (sequences === undefined) found.set(key, [sequence]);
        else sequences.push(sequence);
      }
      return found;
    },
  };
}

/** NATS's own headers say how the original was published (its message id would make a second copy a duplicate). */
function withoutNats(headers: MessageHeaders): MessageHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('Nats-')));
}

async function eachOf<T>(sequences: readonly number[], what: (sequence: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < sequences.length; start += AT_ONCE)
    results.push(...(await Promise.all(sequences.slice(start, start + AT_ONCE).map(what))));
  return results;
}

import type { Observable } from 'rxjs';
import { BUCKETS, decodeToken, encodeToken } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { isRemoval, openBucket } from './kv-bucket.ts';
import { readOldestFirst } from './read-stream.ts';
import { watchBucket } from './watch-bucket.ts';

/** Target → why and by whom it is paused, as it was given. */
export type PausedTargets = ReadonlyMap<string, string>;

/** Switches that an operator sets while the service runs. */
export interface ControlStore {
  /** Pauses a target; `note` is opaque (JSON with who, when, why). Pausing again replaces the note. */
  pause(target: string, note: string): Promise<void>;
  resume(target: string): Promise<void>;
  paused(): Promise<PausedTargets>;
  /** The paused targets now, then after every change. */
  watchPaused(): Observable<PausedTargets>;
}

const PAUSE = 'pause';

export function createControlStore(link: NatsLink, options: { readonly rereadMs?: number } = {}): ControlStore {
  const bucket = openBucket(link, BUCKETS.control);
  const prefix = `$KV.${BUCKETS.control}.${PAUSE}.`;
  const keyOf = (target: string) => `${PAUSE}.${encodeToken(target)}`;

  const paused = async (): Promise<PausedTargets> => {
    const found = new Map<string, string>();
    const reading = { stream: `KV_${BUCKETS.control}`, filter: `${prefix}>`, limit: Number.POSITIVE_INFINITY };
    for await (const message of readOldestFirst(link, reading)) {
      const target = decodeToken(message.subject.slice(prefix.length));
      if (isRemoval(message.headers)) found.delete(target);
      else found.set(target, Buffer.from(message.data).toString('utf8'));
    }
    return found;
  };

  return {
    pause: async (target, note) => {
      await bucket.put(keyOf(target), note);
    },
    resume: (target) => bucket.remove(keyOf(target)),
    paused,
    watchPaused: () =>
      watchBucket(link, {
        bucket: BUCKETS.control,
        filter: `${PAUSE}.>`,
        read: paused,
        same: (a, b) => a.size === b.size && [...a].every(([target, note]) => b.get(target) === note),
        rereadMs: options.rereadMs ?? 15_000,
      }),
  };
}

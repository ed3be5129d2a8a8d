import type { Observable } from 'rxjs';
import { BUCKETS, decodeToken, encodeToken } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { openBucket } from './kv-bucket.ts';
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
  const keyOf = (target: string) => `${PAUSE}.${encodeToken(target)}`;

  const paused = async (): Promise<PausedTargets> => {
    const entries = await bucket.entries(`${PAUSE}.>`);
    return new Map(entries.map(({ key, value }) => [decodeToken(key.slice(PAUSE.length + 1)), value]));
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

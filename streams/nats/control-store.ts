import type { Observable } from 'rxjs';
import { BUCKETS } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { controlRecords } from './control-records.ts';
import { watchBucket } from './watch-bucket.ts';

/** Name → why and by whom it is paused, as it was given. */
export type Paused = ReadonlyMap<string, string>;

/** Pauses of one kind of thing, by their names; an operator sets them while the service runs. */
export interface Pauses {
  /** `note` is opaque (JSON with who, when, why). Pausing again replaces the note. */
  pause(name: string, note: string): Promise<void>;
  resume(name: string): Promise<void>;
  paused(): Promise<Paused>;
  /** What is paused now, then after every change. */
  watchPaused(): Observable<Paused>;
}

/** Switches that an operator sets while the service runs: of targets, and of channels. */
export interface ControlStore extends Pauses {
  readonly channels: Pauses;
}

export function createControlStore(link: NatsLink, options: { readonly rereadMs?: number } = {}): ControlStore {
  return { ...pauses(link, 'pause', options), channels: pauses(link, 'pause-channel', options) };
}

function pauses(link: NatsLink, kind: string, options: { readonly rereadMs?: number }): Pauses {
  const { bucket, filter, keyOf, all } = controlRecords(link, kind);

  const paused = async (): Promise<Paused> => new Map([...(await all())].map(([name, { value }]) => [name, value]));

  return {
    pause: async (name, note) => {
      await bucket.put(keyOf(name), note);
    },
    resume: (name) => bucket.remove(keyOf(name)),
    paused,
    watchPaused: () =>
      watchBucket(link, {
        bucket: BUCKETS.control,
        filter,
        read: paused,
        same: (a, b) => a.size === b.size && [...a].every(([name, note]) => b.get(name) === note),
        rereadMs: options.rereadMs,
      }),
  };
}

import type { Observable } from 'rxjs';
import { BUCKETS } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { controlRecords } from './control-records.ts';
import { watchBucket } from './watch-bucket.ts';

/** What is known of a channel's clears, as text; the next write has to name its revision. */
export interface StoredGuard {
  readonly value: string;
  readonly revision: number;
}

/** One record for each channel that has ever cleared something under guard. Values are opaque. */
export interface GuardStore {
  read(channel: string): Promise<StoredGuard | undefined>;
  /** Stores by compare-and-set, after `revision` (undefined: there was none), and tells the new revision. Throws `conflict`. */
  write(channel: string, value: string, revision: number | undefined): Promise<number>;
  all(): Promise<ReadonlyMap<string, StoredGuard>>;
  /** All records now, then after every change. */
  watch(): Observable<ReadonlyMap<string, StoredGuard>>;
}

export function createGuardStore(link: NatsLink): GuardStore {
  const { bucket, filter, keyOf, all } = controlRecords(link, 'guard');

  return {
    read: (channel) => bucket.get(keyOf(channel)),
    write: (channel, value, revision) =>
      revision === undefined ? bucket.create(keyOf(channel), value) : bucket.update(keyOf(channel), value, revision),
    all,
    watch: () =>
      watchBucket(link, {
        bucket: BUCKETS.control,
        filter,
        read: all,
        same: (a, b) =>
          a.size === b.size && [...a].every(([channel, { revision }]) => b.get(channel)?.revision === revision),
      }),
  };
}

import { BUCKETS, decodeToken, encodeToken } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { type KvBucket, type KvEntry, openBucket } from './kv-bucket.ts';

/** The records of one kind in the control bucket, at most one for each name; a name may be anything. */
export interface ControlRecords {
  readonly bucket: KvBucket;
  /** Fits the keys of all of them. */
  readonly filter: string;
  readonly keyOf: (name: string) => string;
  /** All of them by name, as they stand. */
  all(): Promise<ReadonlyMap<string, KvEntry>>;
}

export function controlRecords(link: NatsLink, kind: string): ControlRecords {
  const bucket = openBucket(link, BUCKETS.control);
  const filter = `${kind}.*`;
  return {
    bucket,
    filter,
    keyOf: (name) => `${kind}.${encodeToken(name)}`,
    all: async () => {
      const entries = await bucket.entries(filter);
      return new Map(entries.map((entry) => [decodeToken(entry.key.slice(kind.length + 1)), entry]));
    },
  };
}

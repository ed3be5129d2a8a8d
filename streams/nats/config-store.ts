import type { Observable } from 'rxjs';
import { filter } from 'rxjs';
import { z } from 'zod';
import { BUCKETS } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { openBucket } from './kv-bucket.ts';
import { StreamError } from './stream-error.ts';
import { watchBucket } from './watch-bucket.ts';

/** Which revision is in force. */
export interface ConfigPointer {
  readonly revision: number;
  /** Opaque to the store: who applied it, from where, … */
  readonly note: string;
  /** Changes with every swap; the next swap has to name it. */
  readonly version: number;
}

/** Configuration revisions: each is stored once and never changed, and one of them is in force. Values are opaque texts. */
export interface ConfigStore {
  /** Stores a new revision and tells its number (1, 2, …); it is not in force yet. */
  putRevision(value: string): Promise<number>;
  getRevision(revision: number): Promise<string | undefined>;
  pointer(): Promise<ConfigPointer | undefined>;
  /** Puts a revision in force. `conflict` when another swap came after `expected` (undefined: there was none). */
  swapPointer(expected: ConfigPointer | undefined, revision: number, note?: string): Promise<ConfigPointer>;
  /** The pointer in force, then each later one; nothing before the first swap. */
  watch(): Observable<ConfigPointer>;
}

const POINTER = 'pointer';
const stored = z.object({ revision: z.number().int().positive(), note: z.string() });

export function createConfigStore(link: NatsLink, options: { readonly rereadMs?: number } = {}): ConfigStore {
  const bucket = openBucket(link, BUCKETS.config);
  const keyOf = (revision: number) => `revision.${revision}`;

  const pointer = async (): Promise<ConfigPointer | undefined> => {
    const entry = await bucket.get(POINTER);
    if (entry === undefined) return undefined;
    return { ...parsePointer(entry.value), version: entry.revision };
  };

  return {
    putRevision: async (value) => {
      const inForce = await pointer();
      for (let revision = (inForce?.revision ?? 0) + 1; ; revision += 1) {
        try {
          await bucket.create(keyOf(revision), value);
          return revision;
        } catch (error) {
          if (!(error instanceof StreamError) || error.code !== 'conflict') throw error;
        }
      }
    },
    getRevision: async (revision) => (await bucket.get(keyOf(revision)))?.value,
    pointer,
    swapPointer: async (expected, revision, note = '') => {
      const text = JSON.stringify({ revision, note });
      const version =
        expected === undefined
          ? await bucket.create(POINTER, text)
          : await bucket.update(POINTER, text, expected.version);
      return { revision, note, version };
    },
    watch: () =>
      watchBucket(link, {
        bucket: BUCKETS.config,
        filter: POINTER,
        read: pointer,
        same: (a, b) => a?.version === b?.version,
        rereadMs: options.rereadMs,
      }).pipe(filter((value) => value !== undefined)),
  };
}

function parsePointer(text: string): { revision: number; note: string } {
  try {
    return stored.parse(JSON.parse(text));
  } catch (error) {
    const message = `The key ${POINTER} of the bucket ${BUCKETS.config} was not written by Backflow; remove it`;
    throw new StreamError('incompatible', message, { cause: error });
  }
}

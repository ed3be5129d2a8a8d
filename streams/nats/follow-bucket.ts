import { setTimeout as sleep } from 'node:timers/promises';
import { Kvm, type KvWatchEntry } from '@nats-io/kv';
import type { NatsLink } from './connection.ts';

const RETRY_MS = 500;

export interface BucketFollower {
  /** Gives up the present watch and opens another, which tells of everything again. */
  renew(): void;
  close(): void;
}

/**
 * Calls `told` with the entries of a bucket whose keys match the filter (wildcards allowed), and then with every change, removals
 * included. A watch that ends is opened again; it may also fall silent, or not come about: `told` is no proof of what stands there.
 */
export function followBucket(
  link: NatsLink,
  bucket: string,
  filter: string,
  told: (entry: KvWatchEntry) => void,
): BucketFollower {
  let closed = false;
  let stop: () => void = () => undefined;
  const follow = async (): Promise<void> => {
    while (!closed && !link.nc.isClosed()) {
      try {
        const opened = await new Kvm(link.js).open(bucket);
        const entries = await opened.watch({ key: filter });
        stop = () => entries.stop();
        if (closed) stop();
        for await (const entry of entries) told(entry);
      } catch {
        // Whoever follows also reads by himself; try to be told again.
      }
      if (!closed) await sleep(RETRY_MS, undefined, { ref: false });
    }
  };
  void follow();
  return {
    renew: () => stop(),
    close: () => {
      closed = true;
      stop();
    },
  };
}

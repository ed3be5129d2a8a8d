import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKETS } from '../../src/domain/subjects.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Lease } from '../../streams/nats/contract.ts';
import { LeaseWatcher } from '../../streams/nats/lease-watcher.ts';
import { acquireLease } from '../../streams/nats/leases.ts';

/** Several processes that want the same lease all the time; each works for a while, then gives it back if it still can. */
export interface Contest {
  /** How many believe in a lease right now. */
  valid(): number;
  /** How often the lease was taken so far. */
  taken(): number;
  /** Confirmed updates of the lease's data. */
  updates(): number;
  /** What must not be: two owners at once, an epoch that does not grow, a confirmed update that the next owner does not see. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

const TIMINGS = { renewEvery: 500, validFor: 1_200, takeAfter: 2_200, timeout: 800 } as const;
const KEY = 'lane-contest';
const WORK_MS = 1_500;

export function startContest(links: readonly NatsLink[]): Contest {
  const problems: string[] = [];
  const leases = new Set<Lease>();
  let running = true;
  let taken = 0;
  let lastEpoch = 0;
  let confirmed = 0;
  const validNow = (): Lease[] => [...leases].filter((lease) => lease.valid());
  const sampling = setInterval(() => {
    const epochs = validNow().map(({ epoch }) => epoch);
    if (epochs.length > 1) problems.push(`two owners at once: epochs ${epochs.join(' and ')}`);
  }, 5);

  const work = async (lease: Lease): Promise<void> => {
    const end = performance.now() + WORK_MS;
    while (lease.valid() && performance.now() < end && running) {
      const count = confirmed + 1;
      await lease.update({ count }).then(
        () => {
          confirmed = Math.max(confirmed, count);
        },
        // Not confirmed: whether it was stored is not known.
        () => undefined,
      );
      await sleep(20);
    }
  };
  const contend = async (link: NatsLink, index: number): Promise<void> => {
    const watcher = new LeaseWatcher();
    while (running) {
      const request = { bucket: BUCKETS.leases, key: KEY, owner: `p${index}`, watcher, timings: TIMINGS };
      const lease = await acquireLease(link, request).catch(() => 'held' as const);
      if (lease === 'held') {
        await sleep(100 + index * 7);
        continue;
      }
      taken += 1;
      if (validNow().length > 0 && lease.valid()) problems.push(`epoch ${lease.epoch} was taken from a valid owner`);
      if (lease.epoch <= lastEpoch && lease.valid()) problems.push(`epoch ${lease.epoch} after ${lastEpoch}`);
      lastEpoch = Math.max(lastEpoch, lease.epoch);
      const { count = 0 } = lease.data();
      if (lease.valid() && Number(count) < confirmed)
        problems.push(`update ${confirmed} was confirmed, found ${count}`);
      leases.add(lease);
      await work(lease);
      await lease.release();
      leases.delete(lease);
      // The others come first.
      await sleep(300);
    }
  };
  const contenders = links.map(contend);
  return {
    valid: () => validNow().length,
    taken: () => taken,
    updates: () => confirmed,
    problems: () => problems,
    stop: async () => {
      running = false;
      await Promise.all(contenders);
      clearInterval(sampling);
    },
  };
}

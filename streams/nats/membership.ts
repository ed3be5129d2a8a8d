import { setTimeout as sleep } from 'node:timers/promises';
import { encodeToken } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import type { Lease } from './contract.ts';
import { openBucket } from './kv-bucket.ts';
import type { LeaseWatcher } from './lease-watcher.ts';
import { acquireLease, type LeaseTimings } from './leases.ts';

/** Keys of members lie beside those of lanes, so that one watch tells of both. */
export const MEMBER_KEYS = 'member.*';

export function memberKey(replica: string): string {
  return `member.${encodeToken(replica)}`;
}

export function isMemberKey(key: string): boolean {
  return key.startsWith('member.');
}

/** `running`: takes lanes; `leaving`: gives them up. */
export type MemberState = 'running' | 'leaving';

export interface MembershipOptions {
  readonly bucket: string;
  readonly replica: string;
  readonly watcher: LeaseWatcher;
  readonly timings: LeaseTimings;
}

/**
 * Tells the other replicas that this one is there: a lease on a key of its own, which the others take for gone when it stands still.
 * States: announced (`running`) → `leave()` (`leaving`: no lane is given to it) → `forget()` (the record goes). A record that was lost
 * in an outage is made again.
 */
export class Membership {
  readonly #link: NatsLink;
  readonly #options: MembershipOptions;
  #state: MemberState = 'running';
  #ended = false;
  #lease: Lease | undefined;
  #announced: Promise<void> = Promise.resolve();

  constructor(link: NatsLink, options: MembershipOptions) {
    this.#link = link;
    this.#options = options;
  }

  /** Resolves when the others can see this one; tries for as long as it takes. */
  announce(): Promise<void> {
    this.#announced = this.#hold();
    return this.#announced;
  }

  /** Best effort: who cannot be told finds out by itself. */
  async leave(): Promise<void> {
    this.#state = 'leaving';
    await this.#lease?.update({ ...this.#lease.data(), state: this.#state }).catch(() => undefined);
  }

  async forget(): Promise<void> {
    this.#ended = true;
    await this.#announced;
    const lease = this.#lease;
    if (lease === undefined || !lease.valid()) return;
    await lease.release();
    await openBucket(this.#link, this.#options.bucket)
      .remove(memberKey(this.#options.replica))
      .catch(() => undefined);
  }

  async #hold(): Promise<void> {
    const { bucket, replica, watcher, timings } = this.#options;
    const since = Date.now();
    while (!this.#ended && !this.#link.nc.isClosed()) {
      const data = { state: this.#state, since };
      const options = { bucket, key: memberKey(replica), owner: replica, watcher, timings, data };
      const lease = await acquireLease(this.#link, options).catch(() => 'held' as const);
      if (lease !== 'held') {
        this.#lease = lease;
        void lease.lost.then(() => {
          if (!this.#ended) this.#announced = this.#hold();
        });
        return;
      }
      await sleep(timings.timeout / 4, undefined, { ref: false });
    }
  }
}

import { type Clock, systemClock } from '../operators/clock.ts';

interface Sight {
  readonly revision: number;
  readonly since: number;
}

/**
 * Remembers for how long the revision of each lease has stood still, on this process's own monotonic clock: no clock of
 * another machine is believed. One for each process, asked regularly by whoever would like a lease.
 */
export class LeaseWatcher {
  readonly #sights = new Map<string, Sight>();
  readonly #abandoned = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Milliseconds since this revision was first seen here; 0 for a new one. */
  unchangedFor(key: string, revision: number): number {
    const now = this.#clock.now();
    const sight = this.#sights.get(key);
    if (sight?.revision === revision) return now - sight.since;
    this.#sights.set(key, { revision, since: now });
    return 0;
  }

  /** The key is gone. */
  forget(key: string): void {
    this.#sights.delete(key);
    this.#abandoned.delete(key);
  }

  /** We held the lease at this revision ourselves and gave it up (an outage): nobody has to be waited for. */
  abandon(key: string, revision: number): void {
    this.#abandoned.set(key, revision);
  }

  isOwnAbandoned(key: string, revision: number): boolean {
    return this.#abandoned.get(key) === revision;
  }
}

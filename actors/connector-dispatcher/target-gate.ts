import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import type { Failure } from '../../src/domain/failure.ts';

const backoff = new ExponentialBackoff({ initialDelay: 500, maxDelay: 30_000 });

/**
 * Circuit breaker of a target. States: `closed` (writes go out) → a target failure → `open` until its wait is over → `half-open`
 * (the next batch is a trial; the dispatcher writes one batch at a time) → `closed` on success, `open` again with a longer wait on
 * failure. It never gives up: while a target is away its changes wait, and nothing is dead-lettered.
 */
export class TargetGate {
  #backoff: IBackoff<unknown> | undefined;
  #reopensAt = 0;
  #now = 0;
  #lastError: string | undefined;

  /** Milliseconds until a batch may go out; 0: now. */
  waitMs(now: number): number {
    this.#now = now;
    return this.#backoff === undefined ? 0 : Math.max(0, this.#reopensAt - now);
  }

  succeeded(): void {
    this.#backoff = undefined;
    this.#lastError = undefined;
  }

  /** The whole target failed; the next batch may go out after the returned milliseconds. */
  failed(failure: Failure, now: number): number {
    this.#now = now;
    this.#backoff = this.#backoff === undefined ? backoff.next() : this.#backoff.next(undefined);
    this.#lastError = `${failure.class} ${failure.code}: ${failure.message}`;
    const wait = Math.max(failure.retryAfterMs ?? 0, this.#backoff.duration);
    this.#reopensAt = now + wait;
    return wait;
  }

  /** As of the last time that it was asked. */
  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#backoff === undefined) return 'closed';
    return this.#reopensAt > this.#now ? 'open' : 'half-open';
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }
}

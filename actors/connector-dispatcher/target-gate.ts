import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import type { Failure } from '../../src/domain/failure.ts';

const backoff = new ExponentialBackoff({ initialDelay: 500, maxDelay: 30_000 });

/**
 * Circuit breaker of a target. States: `closed` (writes go out) → a target failure → `open` until `reopensAt` → `half-open`
 * (one batch goes out as a trial) → `closed` on success, `open` again with a longer wait on failure.
 * It never gives up: while a target is away its changes wait, and nothing is dead-lettered.
 */
export class TargetGate {
  #backoff: IBackoff<unknown> | undefined;
  #reopensAt = 0;
  #lastError: string | undefined;
  #trial = false;

  /** Milliseconds until a batch may go out; 0 now, undefined while a trial is under way. */
  waitMs(now: number): number | undefined {
    if (this.#backoff === undefined) return 0;
    if (this.#trial) return undefined;
    return Math.max(0, this.#reopensAt - now);
  }

  /** A batch goes out. */
  enter(): void {
    if (this.#backoff !== undefined) this.#trial = true;
  }

  succeeded(): void {
    this.#backoff = undefined;
    this.#trial = false;
    this.#lastError = undefined;
  }

  /** The whole target failed; the next batch may go out after the returned milliseconds. */
  failed(failure: Failure, now: number): number {
    this.#backoff = this.#backoff === undefined ? backoff.next() : this.#backoff.next(undefined);
    this.#trial = false;
    this.#lastError = `${failure.class} ${failure.code}: ${failure.message}`;
    const wait = Math.max(failure.retryAfterMs ?? 0, this.#backoff.duration);
    this.#reopensAt = now + wait;
    return wait;
  }

  get state(): 'closed' | 'open' | 'half-open' {
    if (this.#backoff === undefined) return 'closed';
    return this.#trial ? 'half-open' : 'open';
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }
}

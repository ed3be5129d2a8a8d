import type { Failure } from '../../src/domain/failure.ts';

/** Waits between trials of a target that is away, in milliseconds: doubled each time. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A target that wants to be left alone for longer than this is tried nevertheless. */
const LONGEST_REST_MS = 3_600_000;

/**
 * Circuit breaker of a target. States: `closed` (writes go out) → a target failure → `open` until its wait is over → `half-open`
 * (the next batch is a trial; the dispatcher writes one batch at a time) → `closed` on success, `open` again with a longer wait on
 * failure. It never gives up: while a target is away its changes wait, and nothing is dead-lettered.
 *
 * A target that asks to slow down and says when to come back is not away: it is left alone for just that long, and no later wait is
 * longer for it.
 */
export class TargetGate {
  readonly #random: () => number;
  #failures = 0;
  #resting = false;
  #reopensAt = 0;
  #lastError: string | undefined;

  /** `random` gives [0, 1): up to half of a wait is left out, so that the lanes of a target do not all come back at once. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds until a batch may go out; 0: now. */
  waitMs(now: number): number {
    return this.#isClosed() ? 0 : Math.max(0, this.#reopensAt - now);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#resting = false;
    this.#lastError = undefined;
  }

  /** The whole target failed; the next batch may go out after the returned milliseconds. */
  failed(failure: Failure, now: number): number {
    this.#lastError = `${failure.class} ${failure.code}: ${failure.message}`;
    if (failure.class === 'throttled' && failure.retryAfterMs !== undefined) {
      this.#resting = true;
      const rest = Math.min(LONGEST_REST_MS, Math.max(1, failure.retryAfterMs));
      // A little later than asked for, so that the lanes of a target do not all come back at once.
      const restMs = Math.ceil(rest * (1 + this.#random() / 10));
      this.#reopensAt = now + restMs;
      return restMs;
    }
    const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    // Beyond that the wait no longer grows, and 2ⁿ must not overflow.
    this.#failures = Math.min(this.#failures + 1, 16);
    const wait = Math.max(failure.retryAfterMs ?? 0, Math.ceil(full * (1 - this.#random() / 2)));
    this.#reopensAt = now + wait;
    return wait;
  }

  state(now: number): 'closed' | 'open' | 'half-open' {
    if (this.#isClosed()) return 'closed';
    return this.#reopensAt > now ? 'open' : 'half-open';
  }

  #isClosed(): boolean {
    return this.#failures === 0 && !this.#resting;
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }
}

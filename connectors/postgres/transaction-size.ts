/** What a session begins with. */
const FIRST = 16;
/** A transaction that took less may be larger the next time; one that took more is halved. In milliseconds. */
const QUICK_MS = 1_000;
const SLOW_MS = 5_000;

/**
 * How many comments share a transaction: as many as are written in a few seconds. On a server that is slow, or whose objects are
 * locked again and again, large ones would keep their locks for long, and could never be answered in time.
 */
export class TransactionSize {
  readonly #most: number;
  #comments: number;

  constructor(most: number) {
    this.#most = most;
    this.#comments = Math.min(FIRST, most);
  }

  /** Comments of the next transaction at the most. */
  get comments(): number {
    return this.#comments;
  }

  /** So many were written in so many milliseconds. */
  took(comments: number, ms: number): void {
    if (ms > SLOW_MS) this.#comments = Math.max(1, Math.floor(comments / 2));
    else if (ms < QUICK_MS && comments >= this.#comments) this.#comments = Math.min(this.#most, comments * 2);
  }
}

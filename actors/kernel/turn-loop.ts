import { type Context, context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Kernel } from './kernel.ts';

/**
 * Runs an actor's work piece by piece, in the root context, at most `throughput` pieces a turn.
 * Invariant: while a called piece is suspended (`busy`), no other piece begins. `next` does one piece and tells whether
 * there was one; `rested` hears that there was none.
 */
export class TurnLoop {
  readonly #kernel: Kernel;
  readonly #next: () => boolean;
  readonly #rested: () => void;
  #busy = false;
  #running = false;
  #scheduled = false;
  #budget = 0;
  /** Raised by `abandon`: what is still suspended finds itself outdated. */
  #generation = 0;

  constructor(kernel: Kernel, next: () => boolean, rested: () => void) {
    this.#kernel = kernel;
    this.#next = next;
    this.#rested = rested;
  }

  /** A called piece is suspended. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** Nothing is suspended and no turn is due. */
  get isIdle(): boolean {
    return !this.#busy && !this.#scheduled;
  }

  /** Makes sure that `next` is called soon, never inside this call. */
  schedule(): void {
    if (this.#scheduled || this.#busy || this.#running) return;
    this.#scheduled = true;
    this.#kernel.scheduler.yield(this.#turn);
  }

  /** Calls foreign code in the given context and hands on its result: at once where it did not suspend. Inside `next` only. */
  call<T>(
    where: Context,
    work: () => T | PromiseLike<T>,
    done: (value: T) => void,
    failed: (error: unknown) => void,
  ): void {
    let result: T | PromiseLike<T>;
    try {
      result = context.with(where, work);
    } catch (error) {
      failed(error);
      return;
    }
    if (!isPromiseLike(result)) {
      done(result);
      return;
    }
    this.#busy = true;
    const generation = this.#generation;
    const resume = (how: () => void): void => {
      if (generation !== this.#generation) return;
      this.#busy = false;
      how();
      this.#run();
    };
    result.then(
      (value) => resume(() => done(value)),
      (error) => resume(() => failed(error)),
    );
  }

  /** Leaves what is suspended to itself; its result will be ignored. True when there was something. */
  abandon(): boolean {
    const busy = this.#busy;
    this.#generation += 1;
    this.#busy = false;
    return busy;
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    this.#budget = this.#kernel.throughput;
    context.with(ROOT_CONTEXT, this.#run);
  };

  readonly #run = (): void => {
    if (this.#busy) return;
    let more = true;
    this.#running = true;
    try {
      while (more && !this.#busy && this.#budget > 0) {
        this.#budget -= 1;
        more = this.#next();
      }
    } finally {
      this.#running = false;
    }
    if (this.#busy) return;
    if (more) this.schedule();
    else this.#rested();
  };
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

import { ROOT_CONTEXT } from '@opentelemetry/api';
import type { Behavior, StopReason } from './behavior.ts';
import { CellContext, type Home } from './cell-context.ts';
import type { Envelope } from './envelope.ts';
import type { Kernel } from './kernel.ts';
import { KernelError } from './kernel-error.ts';
import type { Timer } from './scheduling.ts';
import type { TurnLoop } from './turn-loop.ts';

/** The actor, as far as its incarnation needs it. */
export interface Host<M> extends Home<M> {
  /** `stopped` threw. */
  cleanUpFailed(error: unknown): void;
  /** What ran did not end in time; the message that was being handled, if it was that. */
  gaveUp(envelope: Envelope<M> | undefined): void;
}

export interface IncarnationSetup<S, M> {
  readonly kernel: Kernel;
  readonly loop: TurnLoop;
  readonly host: Host<M>;
  readonly behavior: Behavior<S, M>;
  readonly stopTimeoutMs: number;
}

/**
 * The behaviour at work, from one `start` to its end: the state, and the calls. All calls go through the actor's loop,
 * so one ends before the next begins. `stopped` is called once for each state that `start` made, unless something that
 * still runs was given up: then the state may be in use and is left alone.
 */
export class Incarnation<S, M> {
  readonly context: CellContext<M>;
  readonly #setup: IncarnationSetup<S, M>;
  #state: { value: S } | undefined;
  #current: Envelope<M> | undefined;
  #deadline: Timer | undefined;

  constructor(setup: IncarnationSetup<S, M>) {
    this.#setup = setup;
    this.context = new CellContext(setup.kernel, setup.host, () => this.#current);
  }

  get hasState(): boolean {
    return this.#state !== undefined;
  }

  start(done: () => void, failed: (error: unknown) => void): void {
    this.#setup.loop.call(
      ROOT_CONTEXT,
      () => this.#setup.behavior.start(this.context),
      (value) => {
        this.#state = { value };
        done();
      },
      failed,
    );
  }

  handle(envelope: Envelope<M>, failed: (error: unknown) => void): void {
    const state = this.#state;
    if (state === undefined)
      throw new KernelError('no-state', 'invalid', 'An actor without a state was given a message.');
    this.#current = envelope;
    this.#setup.loop.call(
      envelope.trace,
      () => this.#setup.behavior.receive(state.value, envelope.msg, this.context),
      (value) => {
        this.#current = undefined;
        state.value = value;
      },
      (error) => {
        this.#current = undefined;
        failed(error);
      },
    );
  }

  /** The end begins while something may still run; `next` is called if that has to be given up. */
  beginEnd(next: () => void): void {
    this.context.close();
    if (this.#setup.loop.isBusy) this.#limitTime(next);
  }

  /** Ends the children, then the state. Nothing else of the behaviour runs. */
  tearDown(reason: StopReason, next: () => void): void {
    this.#deadline?.cancel();
    this.context.close();
    const { children } = this.context;
    const cleanUp = () => this.#cleanUp(reason, next);
    if (children.size === 0) cleanUp();
    else this.#setup.loop.call(ROOT_CONTEXT, () => children.stopAll(), cleanUp, cleanUp);
  }

  /** Ends at once. Returns the names of the children that could not end properly, and whether this could. */
  abandon(): { readonly clean: boolean; readonly children: readonly string[] } {
    this.#deadline?.cancel();
    const unfinished = this.#state !== undefined && this.#setup.behavior.stopped !== undefined;
    const clean = !this.#giveUp() && !unfinished;
    if (unfinished && this.#state !== undefined) this.#setup.host.gaveUp(undefined);
    this.#state = undefined;
    this.context.close();
    return { clean, children: this.context.children.abandonAll() };
  }

  #cleanUp(reason: StopReason, next: () => void): void {
    const { behavior, loop, host } = this.#setup;
    const state = this.#state;
    this.#state = undefined;
    if (state === undefined || behavior.stopped === undefined) {
      next();
      return;
    }
    const done = (): void => {
      this.#deadline?.cancel();
      next();
    };
    this.#limitTime(next);
    loop.call(
      ROOT_CONTEXT,
      () => behavior.stopped?.(state.value, this.context, reason),
      done,
      (error) => {
        host.cleanUpFailed(error);
        done();
      },
    );
  }

  #limitTime(next: () => void): void {
    this.#deadline = this.#setup.kernel.scheduler.setTimer(this.#setup.stopTimeoutMs, () => {
      if (this.#giveUp()) next();
    });
  }

  /** Leaves what runs to itself; false when nothing runs. */
  #giveUp(): boolean {
    if (!this.#setup.loop.abandon()) return false;
    const current = this.#current;
    this.#current = undefined;
    this.#state = undefined;
    this.#setup.host.gaveUp(current);
    return true;
  }
}

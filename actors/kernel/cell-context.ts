import { type Context, context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ActorRef, MessageMeta } from './actor-ref.ts';
import type { ActorContext, Behavior, KeyedActors, KeyedOptions, SpawnOptions } from './behavior.ts';
import { Children } from './children.ts';
import { type Envelope, envelopeOf, type FiredTimer } from './envelope.ts';
import type { Identity, Kernel } from './kernel.ts';
import { KernelError, KernelUsageError } from './kernel-error.ts';
import type { Clock, Random, Timer } from './scheduling.ts';

const MOST_TIMERS = 1000;
/** The reason of every abort; one for all, since an error of its own for each would cost more than the rest of a stop. */
const ENDING = new KernelError('actor-ending', 'transient', 'The actor is ending.');

/** What a context needs from its actor. */
export interface Home<M> extends Identity {
  readonly self: ActorRef<M>;
  timerFired(fired: FiredTimer<M>): void;
  timerCancelled(): void;
  childEscalated(child: Identity, error: unknown): void;
  beginStop(): void;
}

/**
 * The context of one incarnation's behaviour, with what lives as long as it does: the abort signal, the timers, the
 * children. After `close` nothing new can begin in it.
 */
export class CellContext<M> implements ActorContext<M> {
  readonly self: ActorRef<M>;
  readonly children: Children;
  readonly #kernel: Kernel;
  readonly #home: Home<M>;
  readonly #current: () => Envelope<M> | undefined;
  /** Made when somebody asks for the signal: most actors never do, and there may be many. */
  #abort: AbortController | undefined;
  #closed = false;
  readonly #timers = new Set<Timer>();

  /** `current` gives the message that is being handled. */
  constructor(kernel: Kernel, home: Home<M>, current: () => Envelope<M> | undefined) {
    this.#kernel = kernel;
    this.#home = home;
    this.#current = current;
    this.self = home.self;
    this.children = new Children(`${home.name}/`, (child, error) => {
      if (!this.#closed) home.childEscalated(child, error);
    });
  }

  get clock(): Clock {
    return this.#kernel.clock;
  }

  get random(): Random {
    return this.#kernel.random;
  }

  get trace(): Context {
    return this.#current()?.trace ?? ROOT_CONTEXT;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#closed) this.#abort.abort(ENDING);
    }
    return this.#abort.signal;
  }

  get timers(): number {
    return this.#timers.size;
  }

  spawn<S, C>(behavior: Behavior<S, C>, options: SpawnOptions<C>): ActorRef<C> {
    return this.#kernel.spawn(this.children, behavior, options);
  }

  keyed<S, C>(type: string, options: KeyedOptions<S, C>): KeyedActors<C> {
    return this.#kernel.keyed(this.children, type, options);
  }

  after(ms: number, msg: M, meta?: MessageMeta): Timer {
    if (!(ms >= 0)) throw new KernelUsageError(`A timer needs milliseconds from 0, not ${ms}.`);
    if (this.#closed) return { cancel: () => undefined };
    if (this.#timers.size >= MOST_TIMERS) {
      throw new KernelUsageError(
        `Actor ${this.#home.name} has ${MOST_TIMERS} timers already: use one for many things.`,
      );
    }
    const fired = { envelope: envelopeOf(msg, meta), cancelled: false };
    const inner = this.#kernel.scheduler.setTimer(ms, () => {
      this.#timers.delete(timer);
      this.#home.timerFired(fired);
    });
    const timer: Timer = {
      cancel: () => {
        fired.cancelled = true;
        if (!this.#timers.delete(timer)) return;
        inner.cancel();
        this.#home.timerCancelled();
      },
    };
    this.#timers.add(timer);
    return timer;
  }

  stop(): void {
    if (!this.#closed) this.#home.beginStop();
  }

  /** The end begins: no new children or timers, and the running handler can see it. Children live until they are stopped. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.children.close();
    for (const timer of [...this.#timers]) timer.cancel();
    // Listeners belong to this actor, not to the trace of whoever stops it.
    context.with(ROOT_CONTEXT, () => this.#abort?.abort(ENDING));
  }
}

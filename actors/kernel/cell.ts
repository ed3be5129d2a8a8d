import { ROOT_CONTEXT } from '@opentelemetry/api';
import type { ActorRef, AskOptions, MessageMeta, Recipient, Room } from './actor-ref.ts';
import { ask } from './ask.ts';
import type { ActorOptions, Behavior, StopReason } from './behavior.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { Inbox } from './inbox.ts';
import { type Home, Incarnation } from './incarnation.ts';
import type { Identity, Kernel, Owner, Stoppable } from './kernel.ts';
import { ChildFailedError } from './kernel-error.ts';
import type { Timer } from './scheduling.ts';
import { nextRestart } from './supervision.ts';
import type { Directive } from './system-event.ts';
import { TurnLoop } from './turn-loop.ts';

const STOP_TIMEOUT_MS = 15_000;

/** The group that a keyed actor belongs to. */
export interface Group<M> {
  readonly self: ActorRef<M>;
  /** The actor has nothing to do, no timer and no message. */
  rested(): void;
  /** The incarnation has ended; messages may have come meanwhile. */
  dormant(): void;
}

export interface CellSetup<S, M> extends Identity {
  readonly kernel: Kernel;
  readonly owner: Owner;
  readonly behavior: Behavior<S, M>;
  readonly options: ActorOptions<M>;
  readonly group?: Group<M>;
}

/**
 * One actor: what waits for it, and the life of its behaviour.
 *
 *     dormant ─▶ starting ─▶ running ─▶ ending ─▶ stopped      (a keyed actor: ─▶ dormant)
 *                   ▲                     │ restart
 *                   └────── backoff ◀─────┘
 *
 * Invariants: of start, receive and stopped at most one runs at a time (`TurnLoop`). `#ending` is set when a stop was
 * asked for, and is looked at before the next message. Everything that waits outlives incarnations (`Inbox`).
 */
export class Cell<S, M> implements ActorRef<M>, Stoppable, Home<M> {
  readonly name: string;
  readonly type: string;
  readonly self: ActorRef<M>;
  readonly #kernel: Kernel;
  readonly #owner: Owner;
  readonly #behavior: Behavior<S, M>;
  readonly #options: ActorOptions<M>;
  readonly #group: Group<M> | undefined;
  readonly #inbox: Inbox<M>;
  readonly #loop: TurnLoop;
  #phase: 'dormant' | 'starting' | 'running' | 'backoff' | 'ending' | 'stopped' = 'dormant';
  #life: Incarnation<M> | undefined;
  #state: { value: S } | undefined;
  #current: Envelope<M> | undefined;
  #ending: StopReason | undefined;
  #restarts: readonly number[] = [];
  #backoff: Timer | undefined;
  #deadline: Timer | undefined;
  #stopped: PromiseWithResolvers<void> | undefined;

  constructor(setup: CellSetup<S, M>) {
    this.name = setup.name;
    this.type = setup.type;
    this.self = setup.group?.self ?? this;
    this.#kernel = setup.kernel;
    this.#owner = setup.owner;
    this.#behavior = setup.behavior;
    this.#options = setup.options;
    this.#group = setup.group;
    this.#inbox = new Inbox(setup.kernel, this, setup.options);
    this.#loop = new TurnLoop(
      setup.kernel,
      () => this.#next(),
      () => {
        if (this.#isIdle()) this.#group?.rested();
      },
    );
  }

  // What senders use.

  tell(msg: M, meta?: MessageMeta): boolean {
    return this.post(envelopeOf(msg, meta));
  }

  post(envelope: Envelope<M>): boolean {
    if (!this.#inbox.push(envelope)) return false;
    this.#wake();
    return true;
  }

  offer(msg: M, meta?: MessageMeta): Promise<void> {
    return this.postWhenRoom(envelopeOf(msg, meta));
  }

  postWhenRoom(envelope: Envelope<M>): Promise<void> {
    const taken = this.#inbox.pushWhenRoom(envelope);
    this.#wake();
    return taken;
  }

  ask<R>(make: (replyTo: Recipient<R>) => M, options: AskOptions): Promise<R> {
    return ask(this.#kernel, this, (envelope: Envelope<M>) => this.post(envelope), make, options);
  }

  room(): Room {
    return this.#inbox.room();
  }

  // What the owner uses.

  /** Something waits for it. */
  get hasMail(): boolean {
    return !this.#inbox.isEmpty;
  }

  /** Starts a dormant actor. */
  activate(): void {
    if (this.#phase !== 'dormant' || this.#ending !== undefined) return;
    this.#restarts = [];
    this.#phase = 'starting';
    this.#loop.schedule();
  }

  /** Ends the incarnation if the actor is idle. Check and decision are one synchronous step, so no message can fall between. */
  tryPassivate(): boolean {
    if (!this.#isIdle()) return false;
    this.#requestStop({ kind: 'passivated' });
    return true;
  }

  stop(): Promise<void> {
    if (this.#phase === 'stopped') return Promise.resolve();
    this.#stopped ??= Promise.withResolvers();
    const { promise } = this.#stopped;
    this.#requestStop({ kind: 'stop' });
    return promise;
  }

  /** Stops a keyed actor for good. */
  close(): Promise<void> {
    this.#inbox.close();
    return this.stop();
  }

  abandon(): readonly string[] {
    if (this.#phase === 'stopped') return [];
    const unfinished = this.#state !== undefined && this.#behavior.stopped !== undefined;
    const ran = this.#giveUp();
    if (!ran && unfinished) this.#kernel.emit({ type: 'abandoned', ...this.#stamp() });
    this.#life?.close();
    const names = this.#life?.children.abandonAll() ?? [];
    this.#finish(this.#ending ?? { kind: 'stop' });
    return ran || unfinished ? [this.name, ...names] : names;
  }

  // What the incarnation uses.

  get current(): Envelope<M> | undefined {
    return this.#current;
  }

  timerFired(envelope: Envelope<M>): void {
    this.#inbox.pushControl({ kind: 'timer', envelope });
    this.#wake();
  }

  timerCancelled(): void {
    this.#wake();
  }

  childEscalated(child: Identity, error: unknown): void {
    if (this.#life === undefined) return;
    this.#inbox.pushControl({ kind: 'child-failed', of: this.#life, child, error });
    this.#wake();
  }

  beginStop(): void {
    this.#requestStop({ kind: 'stop' });
  }

  // The loop.

  #wake(): void {
    if (this.#phase === 'running') this.#loop.schedule();
  }

  /** Does the next thing; false when there is none. */
  #next(): boolean {
    if (this.#ending !== undefined && this.#phase !== 'ending' && this.#phase !== 'stopped') {
      this.#end(this.#ending);
      return true;
    }
    if (this.#phase === 'starting') {
      this.#start();
      return true;
    }
    return this.#phase === 'running' && (this.#handleControl() || this.#handleMessage());
  }

  #handleControl(): boolean {
    const control = this.#inbox.takeControl();
    if (control === undefined) return false;
    if (control.kind === 'timer') this.#handle(control.envelope);
    else if (control.of === this.#life) this.#failed(new ChildFailedError(control.child.name, control.error));
    return true;
  }

  #handleMessage(): boolean {
    const envelope = this.#inbox.takeMessage();
    if (envelope === undefined) return false;
    this.#handle(envelope);
    return true;
  }

  #handle(envelope: Envelope<M>): void {
    const [state, life] = [this.#state, this.#life];
    if (state === undefined || life === undefined) return;
    this.#current = envelope;
    this.#loop.call(
      envelope.trace,
      () => this.#behavior.receive(state.value, envelope.msg, life),
      (value) => {
        this.#current = undefined;
        state.value = value;
      },
      (error) => {
        this.#current = undefined;
        this.#failed(error, envelope);
      },
    );
  }

  // Start, failure, end.

  #start(): void {
    const life = new Incarnation(this.#kernel, this);
    this.#life = life;
    this.#loop.call(
      ROOT_CONTEXT,
      () => this.#behavior.start(life),
      (value) => {
        this.#state = { value };
        this.#phase = 'running';
        this.#kernel.emit({ type: 'started', ...this.#stamp() });
      },
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown, envelope?: Envelope<M>): void {
    const rule = this.#ending === undefined ? (this.#options.supervision ?? 'stop') : 'stop';
    if (typeof rule === 'object') {
      const next = nextRestart(rule, this.#restarts, this.#kernel.clock.now(), this.#kernel.random);
      if (next !== undefined) {
        this.#emitFailed(error, 'restart');
        this.#restarts = next.times;
        if (envelope !== undefined) this.#inbox.failed(envelope, error);
        this.#restart(error, next.delayMs);
        return;
      }
    } else if (rule === 'resume' && this.#state !== undefined) {
      this.#emitFailed(error, 'resume');
      if (envelope !== undefined) this.#inbox.failed(envelope, error);
      return;
    }
    this.#emitFailed(error, rule === 'escalate' ? 'escalate' : 'stop');
    if (envelope !== undefined) this.#inbox.report(envelope, 'failed', error);
    if (this.#ending === undefined) this.#requestStop({ kind: 'failed', error });
    if (rule === 'escalate') this.#owner.escalated(this, error);
  }

  #restart(error: unknown, delayMs: number): void {
    this.#phase = 'ending';
    this.#tearDown({ kind: 'restart', error }, () => {
      if (this.#ending !== undefined) {
        this.#ended(this.#ending);
        return;
      }
      this.#phase = 'backoff';
      this.#kernel.emit({ type: 'restarting', ...this.#stamp(), attempt: this.#restarts.length, delayMs });
      this.#backoff = this.#kernel.scheduler.setTimer(delayMs, () => {
        this.#phase = 'starting';
        this.#loop.schedule();
      });
    });
  }

  #requestStop(reason: StopReason): void {
    if (this.#phase === 'stopped') return;
    if (this.#group === undefined) this.#inbox.close();
    if (this.#ending === undefined) {
      this.#ending = reason;
      this.#backoff?.cancel();
      this.#life?.close();
      if (this.#phase !== 'ending') this.#limitTime(() => this.#loop.schedule());
    }
    if (reason.kind !== 'passivated') this.#inbox.flush();
    this.#loop.schedule();
  }

  #end(reason: StopReason): void {
    this.#deadline?.cancel();
    this.#phase = 'ending';
    this.#tearDown(reason, () => this.#ended(reason));
  }

  /** Gives up on the part of the behaviour that runs, should it still do so when the time is over. */
  #limitTime(then: () => void): void {
    this.#deadline = this.#kernel.scheduler.setTimer(this.#options.stopTimeoutMs ?? STOP_TIMEOUT_MS, () => {
      if (this.#giveUp()) then();
    });
  }

  /** What runs is left to itself, and its state with it: `stopped` is not called for a state that may be in use. */
  #giveUp(): boolean {
    if (!this.#loop.abandon()) return false;
    const current = this.#current;
    this.#current = undefined;
    this.#state = undefined;
    if (current !== undefined) this.#inbox.report(current, 'abandoned');
    this.#kernel.emit({ type: 'abandoned', ...this.#stamp() });
    return true;
  }

  /** Ends the incarnation: first its children, then its state. */
  #tearDown(reason: StopReason, next: () => void): void {
    const life = this.#life;
    if (life === undefined) {
      next();
      return;
    }
    life.close();
    const finish = (): void => {
      const state = this.#state;
      this.#state = undefined;
      this.#life = undefined;
      if (state === undefined || this.#behavior.stopped === undefined) next();
      else this.#giveBack(() => this.#behavior.stopped?.(state.value, life, reason), next);
    };
    if (life.children.size === 0) finish();
    else this.#loop.call(ROOT_CONTEXT, () => life.children.stopAll(), finish, finish);
  }

  #giveBack(call: () => void | Promise<void>, next: () => void): void {
    const done = (): void => {
      this.#deadline?.cancel();
      next();
    };
    this.#limitTime(next);
    this.#loop.call(ROOT_CONTEXT, call, done, (error) => {
      this.#emitFailed(error, 'ignored');
      done();
    });
  }

  #ended(reason: StopReason): void {
    if (this.#group === undefined || this.#inbox.isClosed) {
      this.#finish(reason);
      return;
    }
    this.#ending = undefined;
    this.#phase = 'dormant';
    this.#kernel.emit({ type: 'stopped', ...this.#stamp(), reason });
    this.#stopped?.resolve();
    this.#stopped = undefined;
    this.#group.dormant();
  }

  #finish(reason: StopReason): void {
    this.#deadline?.cancel();
    this.#backoff?.cancel();
    this.#phase = 'stopped';
    this.#inbox.close();
    this.#inbox.flush();
    this.#life = undefined;
    this.#state = undefined;
    this.#owner.ended(this);
    this.#kernel.emit({ type: 'stopped', ...this.#stamp(), reason });
    this.#stopped?.resolve();
  }

  #isIdle(): boolean {
    if (this.#phase !== 'running' || this.#ending !== undefined || !this.#loop.isIdle) return false;
    return this.#inbox.isEmpty && (this.#life?.timers ?? 0) === 0;
  }

  #stamp(): { readonly actor: string; readonly actorType: string; readonly at: number } {
    return { actor: this.name, actorType: this.type, at: this.#kernel.clock.now() };
  }

  #emitFailed(error: unknown, directive: Directive): void {
    this.#kernel.emit({ type: 'failed', ...this.#stamp(), error, directive });
  }
}

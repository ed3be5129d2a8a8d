import type { ActorRef, AskOptions, MessageMeta, Recipient, Room } from './actor-ref.ts';
import { ask } from './ask.ts';
import type { ActorOptions, Behavior, StopReason } from './behavior.ts';
import { type Envelope, envelopeOf, type FiredTimer } from './envelope.ts';
import { Inbox } from './inbox.ts';
import { type Host, Incarnation } from './incarnation.ts';
import type { Identity, Kernel, Owner, Stoppable } from './kernel.ts';
import { ChildFailedError } from './kernel-error.ts';
import type { Resident } from './residents.ts';
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
export class Cell<S, M> implements ActorRef<M>, Stoppable, Resident, Host<M> {
  readonly name: string;
  readonly type: string;
  readonly self: ActorRef<M>;
  restedAt = 0;
  readonly #kernel: Kernel;
  readonly #owner: Owner;
  readonly #behavior: Behavior<S, M>;
  readonly #options: ActorOptions<M>;
  readonly #group: Group<M> | undefined;
  readonly #inbox: Inbox<M>;
  readonly #loop: TurnLoop;
  #phase: 'dormant' | 'starting' | 'running' | 'backoff' | 'ending' | 'stopped' = 'dormant';
  #life: Incarnation<S, M> | undefined;
  #ending: StopReason | undefined;
  #restarts: readonly number[] = [];
  #backoff: Timer | undefined;
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
    const life = this.#life?.abandon() ?? { clean: true, children: [] };
    this.#finish(this.#ending ?? { kind: 'stop' });
    return life.clean ? life.children : [this.name, ...life.children];
  }

  // What the incarnation uses.

  timerFired(fired: FiredTimer<M>): void {
    this.#inbox.pushControl({ kind: 'timer', fired });
    this.#wake();
  }

  timerCancelled(): void {
    this.#wake();
  }

  childEscalated(child: Identity, error: unknown): void {
    if (this.#life === undefined) return;
    this.#inbox.pushControl({ kind: 'child-failed', of: this.#life.context, child, error });
    this.#wake();
  }

  beginStop(): void {
    this.#requestStop({ kind: 'stop' });
  }

  cleanUpFailed(error: unknown): void {
    this.#emitFailed(error, 'ignored');
  }

  gaveUp(envelope: Envelope<M> | undefined): void {
    if (envelope !== undefined) this.#inbox.report(envelope, 'abandoned');
    this.#kernel.emit({ type: 'abandoned', ...this.#stamp() });
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
    if (control.kind === 'timer') this.#handle(control.fired.envelope);
    else if (control.of === this.#life?.context) this.#failed(new ChildFailedError(control.child.name, control.error));
    return true;
  }

  #handleMessage(): boolean {
    const envelope = this.#inbox.takeMessage();
    if (envelope === undefined) return false;
    this.#handle(envelope);
    return true;
  }

  #handle(envelope: Envelope<M>): void {
    this.#life?.handle(envelope, (error) => this.#failed(error, envelope));
  }

  // Start, failure, end.

  #start(): void {
    const life = new Incarnation({
      kernel: this.#kernel,
      loop: this.#loop,
      host: this,
      behavior: this.#behavior,
      stopTimeoutMs: this.#options.stopTimeoutMs ?? STOP_TIMEOUT_MS,
    });
    this.#life = life;
    const started = (): void => {
      this.#phase = 'running';
      this.#kernel.emit({ type: 'started', ...this.#stamp() });
    };
    life.start(started, (error) => this.#failed(error));
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
    } else if (rule === 'resume' && this.#life?.hasState) {
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
      if (this.#phase !== 'ending') this.#life?.beginEnd(() => this.#loop.schedule());
    }
    if (reason.kind !== 'passivated') this.#inbox.flush();
    this.#loop.schedule();
  }

  #end(reason: StopReason): void {
    this.#phase = 'ending';
    this.#tearDown(reason, () => this.#ended(reason));
  }

  #tearDown(reason: StopReason, next: () => void): void {
    const life = this.#life;
    if (life === undefined) {
      next();
      return;
    }
    life.tearDown(reason, () => {
      this.#life = undefined;
      next();
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
    this.#backoff?.cancel();
    this.#phase = 'stopped';
    this.#inbox.close();
    this.#inbox.flush();
    this.#life = undefined;
    this.#owner.ended(this);
    this.#kernel.emit({ type: 'stopped', ...this.#stamp(), reason });
    this.#stopped?.resolve();
  }

  #isIdle(): boolean {
    if (this.#phase !== 'running' || this.#ending !== undefined || !this.#loop.isIdle) return false;
    return this.#inbox.isEmpty && (this.#life?.context.timers ?? 0) === 0;
  }

  #stamp(): { readonly actor: string; readonly actorType: string; readonly at: number } {
    return { actor: this.name, actorType: this.type, at: this.#kernel.clock.now() };
  }

  #emitFailed(error: unknown, directive: Directive): void {
    this.#kernel.emit({ type: 'failed', ...this.#stamp(), error, directive });
  }
}

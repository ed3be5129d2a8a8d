import type { Room } from './actor-ref.ts';
import type { ActorOptions } from './behavior.ts';
import type { CellContext } from './cell-context.ts';
import { Deque } from './deque.ts';
import { afterFailure, type Envelope, type FiredTimer } from './envelope.ts';
import { type Identity, type Kernel, reportUndelivered } from './kernel.ts';
import type { KernelError } from './kernel-error.ts';
import { Mailbox } from './mailbox.ts';
import type { UndeliveredReason } from './system-event.ts';

/** Served before every message; few, since an actor's timers and children are. */
export type Control<M> =
  | { readonly kind: 'timer'; readonly fired: FiredTimer<M> }
  | { readonly kind: 'child-failed'; readonly of: CellContext<M>; readonly child: Identity; readonly error: unknown };

/**
 * Everything that waits for an actor. It outlives restarts and passivation, so they can neither lose nor reorder what
 * waits. Order: control, then the message whose handler failed, then the mailbox. What does not get in, or not through,
 * is reported here.
 */
export class Inbox<M> {
  readonly #kernel: Kernel;
  readonly #actor: Identity;
  readonly #options: ActorOptions<M>;
  readonly #mailbox: Mailbox<M>;
  readonly #control = new Deque<Control<M>>();
  #retry: Envelope<M> | undefined;
  #closed = false;

  constructor(kernel: Kernel, actor: Identity, options: ActorOptions<M>) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#options = options;
    this.#mailbox = new Mailbox(options.mailbox ?? {}, (envelope, why) => this.report(envelope, why));
  }

  get isEmpty(): boolean {
    return this.#control.length === 0 && this.#retry === undefined && this.#mailbox.length === 0;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  room(): Room {
    return this.#closed ? { messages: 0, size: 0 } : this.#mailbox.room();
  }

  /** False: refused and reported. */
  push(envelope: Envelope<M>): boolean {
    if (!this.#closed && this.#mailbox.push(envelope)) return true;
    this.report(envelope, this.#closed ? 'stopped' : 'full');
    return false;
  }

  pushWhenRoom(envelope: Envelope<M>): Promise<void> {
    const taken = this.#closed ? undefined : this.#mailbox.pushWhenRoom(envelope);
    return taken ?? Promise.reject(this.report(envelope, this.#closed ? 'stopped' : 'full'));
  }

  pushControl(control: Control<M>): void {
    this.#control.push(control);
  }

  takeControl(): Control<M> | undefined {
    for (;;) {
      const control = this.#control.shift();
      if (control?.kind !== 'timer' || !control.fired.cancelled) return control;
    }
  }

  takeMessage(): Envelope<M> | undefined {
    const retry = this.#retry;
    if (retry === undefined) return this.#mailbox.take();
    this.#retry = undefined;
    return retry;
  }

  /** The handler failed: the message goes ahead of all others once more, or is reported, as the actor's options say. */
  failed(envelope: Envelope<M>, error: unknown): void {
    const rule = this.#options.failedMessage ?? 'report';
    if (rule !== 'report' && envelope.failures < rule.redeliver) this.#retry = afterFailure(envelope);
    else this.report(envelope, 'failed', error);
  }

  /** Takes nothing from now on. */
  close(): void {
    this.#closed = true;
  }

  /** Reports everything that waits, and lets waiting offers reject. */
  flush(): void {
    const retry = this.#retry;
    this.#retry = undefined;
    if (retry !== undefined) this.report(retry, 'stopped');
    for (const control of this.#control.drain()) {
      if (control.kind === 'timer' && !control.fired.cancelled) this.report(control.fired.envelope, 'stopped');
    }
    this.#mailbox.drain((envelope) => this.report(envelope, 'stopped'));
  }

  report(envelope: Envelope<M>, reason: UndeliveredReason, error?: unknown): KernelError {
    const { describe } = this.#options;
    return reportUndelivered(this.#kernel, this.#actor, envelope, reason, { error, describe });
  }
}

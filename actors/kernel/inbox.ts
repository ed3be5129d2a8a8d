import { Deque } from './deque.ts';
import { afterFailure, type Envelope } from './envelope.ts';
import type { Incarnation } from './incarnation.ts';
import type { Identity } from './kernel.ts';
import { type Displaced, Mailbox, type MailboxOptions } from './mailbox.ts';

/** Served before every message; few, since an actor's timers and children are. */
export type Control<M> =
  | { readonly kind: 'timer'; readonly envelope: Envelope<M> }
  | { readonly kind: 'child-failed'; readonly of: Incarnation<M>; readonly child: Identity; readonly error: unknown };

/**
 * Everything that waits for an actor. It outlives restarts and passivation, so they can neither lose nor reorder what
 * waits. Order: control, then the message whose handler failed, then the mailbox.
 */
export class Inbox<M> {
  readonly mailbox: Mailbox<M>;
  readonly #control = new Deque<Control<M>>();
  #retry: Envelope<M> | undefined;

  constructor(options: MailboxOptions<M>, displaced: (envelope: Envelope<M>, why: Displaced) => void) {
    this.mailbox = new Mailbox(options, displaced);
  }

  get isEmpty(): boolean {
    return this.#control.length === 0 && this.#retry === undefined && this.mailbox.length === 0;
  }

  pushControl(control: Control<M>): void {
    this.#control.push(control);
  }

  /** Puts a message whose handler failed ahead of all others. */
  keepForRetry(envelope: Envelope<M>): void {
    this.#retry = afterFailure(envelope);
  }

  takeControl(): Control<M> | undefined {
    return this.#control.shift();
  }

  takeMessage(): Envelope<M> | undefined {
    const retry = this.#retry;
    if (retry === undefined) return this.mailbox.take();
    this.#retry = undefined;
    return retry;
  }

  /** Empties all of it; `lost` is told of each message and gives the error for an offer that still waits. */
  flush(lost: (envelope: Envelope<M>) => Error): void {
    const retry = this.#retry;
    this.#retry = undefined;
    if (retry !== undefined) lost(retry);
    for (const control of this.#control.drain()) {
      if (control.kind === 'timer') lost(control.envelope);
    }
    this.mailbox.drain(lost);
  }
}

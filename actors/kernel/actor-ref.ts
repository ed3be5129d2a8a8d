import type { Context } from '@opentelemetry/api';

export interface MessageMeta {
  /** The trace that the message belongs to; the handler runs in it. Without one the message belongs to no trace. */
  readonly trace?: Context;
}

/** Anything that takes messages: an actor, or the place where the answer to an `ask` is expected. */
export interface Recipient<M> {
  readonly name: string;
  /** Never waits. False: the message was refused, and that is already reported as undelivered. */
  tell(msg: M, meta?: MessageMeta): boolean;
}

export interface AskOptions extends MessageMeta {
  /** Milliseconds until the ask gives up; an answer that comes later is reported as undelivered. */
  readonly timeoutMs: number;
}

/** What a mailbox can still take. `size` is infinite where no limit in size is set. */
export interface Room {
  readonly messages: number;
  readonly size: number;
}

/** The only handle to an actor. Messages of one sender through one ref are handled in the order sent. */
export interface ActorRef<M> extends Recipient<M> {
  /**
   * Waits until the mailbox has taken the message: the path of backpressure. Rejects with `ActorStoppedError` when the
   * actor stops first, with `MailboxFullError` where the overflow policy refuses or too many offers wait already.
   * An actor must not await an offer to itself.
   */
  offer(msg: M, meta?: MessageMeta): Promise<void>;
  /**
   * Sends what `make` builds around the address for the answer. Rejects with `AskTimeoutError`, or at once when the
   * message is refused or its handler fails for good.
   */
  ask<R>(make: (replyTo: Recipient<R>) => M, options: AskOptions): Promise<R>;
  /**
   * Ends the actor: the running handler ends first, then the children, then the behaviour's `stopped`. Messages that
   * wait are reported. Resolves when all of that is done, at the latest after the actor's `stopTimeoutMs`.
   * Inside the actor's own handler use `ctx.stop()`: awaiting this there waits for itself.
   */
  stop(): Promise<void>;
  room(): Room;
}

import type { Context } from '@opentelemetry/api';
import type { ActorRef, MessageMeta } from './actor-ref.ts';
import type { MailboxOptions } from './mailbox.ts';
import type { Clock, Random, Timer } from './scheduling.ts';
import type { FailedMessage, Supervision } from './supervision.ts';

/** Why an incarnation of an actor ends. */
export type StopReason =
  | { readonly kind: 'stop' }
  | { readonly kind: 'passivated' }
  | { readonly kind: 'restart'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * What an actor does. The kernel calls one of these at a time, never two at once.
 * Validation problems belong to the protocol (answer them); what is thrown is a failure and goes to the supervision.
 */
export interface Behavior<S, M> {
  /** Makes the first state of an incarnation; runs outside any trace. */
  start(ctx: ActorContext<M>): S | Promise<S>;
  /** Handles a message in that message's trace and returns the next state. */
  receive(state: S, msg: M, ctx: ActorContext<M>): S | Promise<S>;
  /** Gives resources back; the children have ended. Runs for each state that `start` made, on a restart too. */
  stopped?(state: S, ctx: ActorContext<M>, reason: StopReason): void | Promise<void>;
}

/** What a behaviour can do besides answering. One per incarnation. */
export interface ActorContext<M> {
  readonly self: ActorRef<M>;
  readonly clock: Clock;
  readonly random: Random;
  /** The trace that came with the message now being handled; the root context outside of handlers. */
  readonly trace: Context;
  /** Aborted when this incarnation begins to end, while its last handler may still run. */
  readonly signal: AbortSignal;
  /** A child: it ends before this actor does. Throws `KernelUsageError` once the end has begun. */
  spawn<S, C>(behavior: Behavior<S, C>, options: SpawnOptions<C>): ActorRef<C>;
  /** Keyed actors as children. */
  keyed<S, C>(type: string, options: KeyedOptions<S, C>): KeyedActors<C>;
  /**
   * Sends the message to this actor after so many milliseconds, ahead of its mailbox. Timers that have not fired are
   * cancelled when the incarnation ends; while one is pending the actor is not idle. At most 1,000 at a time. Once it is cancelled
   * its message does not come, also where it had fired during the handler that cancels it.
   */
  after(ms: number, msg: M, meta?: MessageMeta): Timer;
  /** Begins the stop; does not wait. */
  stop(): void;
}

/** Choices of the one who spawns an actor. */
export interface ActorOptions<M> {
  readonly mailbox?: MailboxOptions<M>;
  /** Default `stop`. */
  readonly supervision?: Supervision;
  /** Default `report`. */
  readonly failedMessage?: FailedMessage;
  /** How long a stop waits for the running handler, the children and `stopped` before it abandons them. Default 15,000. */
  readonly stopTimeoutMs?: number;
  /** A short text for the record of an undelivered message (which does not keep the message). No secrets. */
  readonly describe?: (msg: M) => string;
}

export interface SpawnOptions<M> extends ActorOptions<M> {
  /** Unique among the living siblings. */
  readonly name: string;
  /** Label for metrics, of few values; by default the name. */
  readonly type?: string;
}

export interface KeyedOptions<S, M> extends ActorOptions<M> {
  readonly behavior: (key: string) => Behavior<S, M>;
  /** After so long without a message, a timer or a running handler an actor is passivated. */
  readonly idleMs: number;
  /** Most actors in memory at a time. */
  readonly maxResident: number;
  /** Most offers that wait for a resident's place. Default 1,000. */
  readonly maxWaiting?: number;
}

/**
 * Actors that come to life with the first message to their key and leave when idle. A message that arrives while its
 * actor leaves is handled by the next incarnation. At the cap the least recently active idle actor leaves; when all are
 * busy, `offer` waits and `tell` is refused.
 */
export interface KeyedActors<M> {
  /** Costs nothing until used; stays valid over passivations. Its `stop` ends the present incarnation only. */
  refFor(key: string): ActorRef<M>;
  /** Actors in memory now. */
  readonly residents: number;
  stop(): Promise<void>;
}

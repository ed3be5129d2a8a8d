import type { Context } from '@opentelemetry/api';
import type { StopReason } from './behavior.ts';

/**
 * Why a message was not handled to its end.
 * - `full`: refused, no room in the mailbox or among the waiting offers; `no-room`: refused, all resident actors are busy;
 * - `dropped`, `coalesced`: gave way to a newer message, as the mailbox's overflow policy says;
 * - `stopped`: the actor stopped, before or while the message waited;
 * - `failed`: its handler threw, and it is not to be tried again;
 * - `abandoned`: its handler did not end before the stop's time was over (it may still have an effect);
 * - `late-reply`: an answer that nobody waits for any more.
 */
export type UndeliveredReason =
  | 'full'
  | 'no-room'
  | 'dropped'
  | 'coalesced'
  | 'stopped'
  | 'failed'
  | 'abandoned'
  | 'late-reply';

interface EventBase {
  readonly actor: string;
  /** The type label of the actor: few values, fit for metrics (the name is not). */
  readonly actorType: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface UndeliveredEvent extends EventBase {
  readonly type: 'undelivered';
  readonly reason: UndeliveredReason;
  readonly message: unknown;
  readonly trace: Context;
  readonly error?: unknown;
}

/** What the supervision made of a failure; `ignored` is a failure of `stopped`, which cannot be undone. */
export type Directive = 'stop' | 'resume' | 'restart' | 'escalate' | 'ignored';

/** Everything that happens to actors, as data. */
export type SystemEvent =
  | (EventBase & { readonly type: 'started' })
  | (EventBase & { readonly type: 'failed'; readonly error: unknown; readonly directive: Directive })
  | (EventBase & { readonly type: 'restarting'; readonly attempt: number; readonly delayMs: number })
  | (EventBase & { readonly type: 'stopped'; readonly reason: StopReason })
  /** A stop's time was over: what still runs is left to itself, its result ignored, and `stopped` is not called. */
  | (EventBase & { readonly type: 'abandoned' })
  /** An actor without a parent escalated: the one who made the system has to decide. */
  | (EventBase & { readonly type: 'escalated'; readonly error: unknown })
  | UndeliveredEvent;

import type { ActorRef } from './actor-ref.ts';
import type { ActorOptions, Behavior, KeyedActors, KeyedOptions, SpawnOptions } from './behavior.ts';
import type { Envelope } from './envelope.ts';
import { ActorStoppedError, type KernelError, MailboxFullError, MessageLostError } from './kernel-error.ts';
import type { Clock, Random, Scheduler } from './scheduling.ts';
import type { SystemEvent, UndeliveredReason } from './system-event.ts';
import type { UndeliveredRing } from './undelivered-log.ts';

/** Who an event or an undelivered message is about. */
export interface Identity {
  readonly name: string;
  readonly type: string;
}

/** Something that its owner has to stop: an actor, or a group of keyed actors. */
export interface Stoppable extends Identity {
  stop(): Promise<void>;
  /** Ends it at once without waiting for anything. Returns the names of the actors that still ran or could not clean up. */
  abandon(): readonly string[];
}

/** The side of an actor's owner that the actor talks to. */
export interface Owner {
  /** The child has stopped for good. */
  ended(child: Stoppable): void;
  /** The child failed and its supervision says `escalate`. */
  escalated(child: Identity, error: unknown): void;
}

/** A group of children that new ones can be put into. */
export interface Family extends Owner {
  readonly prefix: string;
  /** Throws `KernelUsageError` when the name is taken or the end has begun. */
  adopt(child: Stoppable): void;
}

/** What all actors of a system share. */
export interface Kernel {
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** Messages that one actor may handle before the others get their turn. */
  readonly throughput: number;
  readonly undelivered: UndeliveredRing;
  emit(event: SystemEvent): void;
  spawn<S, M>(family: Family, behavior: Behavior<S, M>, options: SpawnOptions<M>): ActorRef<M>;
  keyed<S, M>(family: Family, type: string, options: KeyedOptions<S, M>): KeyedActors<M>;
}

/** Records a message as undelivered, tells who asked, and returns the error for who waits for the message to be taken. */
export function reportUndelivered<M>(
  kernel: Kernel,
  actor: Identity,
  envelope: Envelope<M>,
  reason: UndeliveredReason,
  details: { readonly error?: unknown; readonly describe?: ActorOptions<M>['describe'] } = {},
): KernelError {
  const event = {
    type: 'undelivered',
    actor: actor.name,
    actorType: actor.type,
    at: kernel.clock.now(),
    reason,
    message: envelope.msg,
    trace: envelope.trace,
    ...(details.error === undefined ? {} : { error: details.error }),
  } as const;
  kernel.undelivered.add(event, labelOf(envelope.msg, details.describe));
  kernel.emit(event);
  const error = errorFor(actor.name, reason, details.error);
  envelope.lost?.(error);
  return error;
}

function labelOf<M>(msg: M, describe: ActorOptions<M>['describe']): string | undefined {
  try {
    return describe?.(msg);
  } catch {
    return 'describe() threw';
  }
}

function errorFor(actor: string, reason: UndeliveredReason, cause: unknown): KernelError {
  switch (reason) {
    case 'full':
    case 'no-room':
      return new MailboxFullError(actor);
    case 'stopped':
      return new ActorStoppedError(actor);
    case 'failed':
      return new MessageLostError(actor, 'its handler failed', { cause });
    case 'abandoned':
      return new MessageLostError(actor, 'its handler did not end before the stop gave up');
    case 'dropped':
    case 'coalesced':
      return new MessageLostError(actor, 'it gave way to a newer message');
    case 'late-reply':
      return new MessageLostError(actor, 'nobody waits for this answer any more');
  }
}

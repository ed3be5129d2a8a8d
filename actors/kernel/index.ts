/**
 * The actor kernel: bounded mailboxes, supervision, keyed actors, graceful stop. It knows nothing of the service.
 * What is exported here is all that the rest may use; the test kit is `test-kit.ts`.
 */
export type { ActorRef, AskOptions, MessageMeta, Recipient, Room } from './actor-ref.ts';
export { type ActorSystem, createActorSystem, type StopReport, type SystemOptions } from './actor-system.ts';
export type {
  ActorContext,
  ActorOptions,
  Behavior,
  KeyedActors,
  KeyedOptions,
  SpawnOptions,
  StopReason,
} from './behavior.ts';
export {
  ActorStoppedError,
  AskTimeoutError,
  ChildFailedError,
  KernelError,
  KernelUsageError,
  MailboxFullError,
  MessageLostError,
} from './kernel-error.ts';
export type { Coalesce, MailboxOptions, Overflow } from './mailbox.ts';
export type { Clock, Random, Scheduler, Timer } from './scheduling.ts';
export { type FailedMessage, type Restart, restart, type Supervision } from './supervision.ts';
export type { Directive, SystemEvent, UndeliveredEvent, UndeliveredReason } from './system-event.ts';
export type { UndeliveredLog, UndeliveredRecord } from './undelivered-log.ts';

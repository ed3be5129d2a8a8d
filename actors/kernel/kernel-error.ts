/** How to react, in the words that all errors of this service use. */
export type KernelErrorClass = 'transient' | 'throttled' | 'invalid';

/** Base of every error that the kernel makes itself; it has the shape of the service's other errors without importing them. */
export class KernelError extends Error {
  readonly code: string;
  readonly class: KernelErrorClass;

  constructor(code: string, errorClass: KernelErrorClass, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.class = errorClass;
  }
}

/** The actor is stopping or has stopped, so it takes no message and will not handle the ones that were waiting. */
export class ActorStoppedError extends KernelError {
  constructor(actor: string) {
    super('actor-stopped', 'transient', `Actor ${actor} has stopped: the message was not handled.`);
  }
}

/** No room for the message: the mailbox, the list of waiting offers, or the number of resident actors is at its limit. */
export class MailboxFullError extends KernelError {
  constructor(actor: string) {
    super('mailbox-full', 'throttled', `Actor ${actor} has no room: send less, or wait with offer().`);
  }
}

/** The actor took the message out of its mailbox but did not get through with it, or a newer message took its place. */
export class MessageLostError extends KernelError {
  constructor(actor: string, why: string, options?: { cause?: unknown }) {
    super('message-lost', 'transient', `Actor ${actor} did not handle the message: ${why}.`, options);
  }
}

export class AskTimeoutError extends KernelError {
  constructor(actor: string, timeoutMs: number) {
    super('ask-timeout', 'transient', `Actor ${actor} did not answer within ${timeoutMs} ms.`);
  }
}

/** A child gave its failure up to its parent (supervision `escalate`). */
export class ChildFailedError extends KernelError {
  constructor(child: string, cause: unknown) {
    super('child-failed', 'transient', `Child actor ${child} failed and escalated.`, { cause });
  }
}

/** The kernel was called in a way that cannot work: a bad option, a name that is taken, a spawn after the stop. */
export class KernelUsageError extends KernelError {
  constructor(message: string) {
    super('kernel-usage', 'invalid', message);
  }
}

/**
 * Why something that was tried did not work, in the words that decide what happens next.
 *
 * - `transient`, `throttled`, `conflict`: trying again can help.
 * - `auth`: the whole target is unusable until somebody repairs the credentials.
 * - `permission`, `not_found`, `invalid`, `unsupported`: trying the same again cannot help.
 */
export type FailureClass =
  | 'transient'
  | 'throttled'
  | 'conflict'
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'invalid'
  | 'unsupported';

/** Whom a failure concerns: every write of the target (the lane pauses), or one object (only that asset retries). */
export type FailureScope = 'target' | 'object';

/** A failure as a value: what connectors return per item and what outcomes record. Holds no secret and no catalogue text. */
export interface Failure {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  /** The system's own code: SQLSTATE, errno, HTTP status, or one of ours in kebab-case. */
  readonly code: string;
  /** One sentence for a person: what went wrong and, where known, how to repair it. */
  readonly message: string;
  /** Milliseconds after which the system asked to be tried again. */
  readonly retryAfterMs?: number;
}

/** Base of every error class of this project. `code` is stable and in kebab-case, `class` says how to react. */
export class BackflowError extends Error {
  readonly code: string;
  readonly class: FailureClass;

  constructor(code: string, failureClass: FailureClass, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.class = failureClass;
  }
}

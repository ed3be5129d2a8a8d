import type { FailureClass, FailureScope } from '../src/domain/failure.ts';

/** A row of a connector's error table: how to react to one of the system's codes, and what to tell a person. */
export interface FailureEntry {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  readonly message: string;
}

export const entry = (failureClass: FailureClass, scope: FailureScope, message: string): FailureEntry => ({
  class: failureClass,
  scope,
  message,
});

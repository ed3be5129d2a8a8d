import { BackflowError, type Failure, type FailureScope } from '../src/domain/failure.ts';

/** The only error that a connection throws. */
export class ConnectorError extends BackflowError {
  readonly failure: Failure;

  constructor(failure: Failure, options?: { cause?: unknown }) {
    super(failure.code, failure.class, failure.message, options);
    this.failure = failure;
  }

  get scope(): FailureScope {
    return this.failure.scope;
  }
}

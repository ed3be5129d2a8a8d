import { ClosedConnectionError, DrainingConnectionError, errors, TimeoutError } from '@nats-io/nats-core';
import { BackflowError, type FailureClass } from '../../src/domain/failure.ts';

/** What can go wrong between us and NATS, each with how to react to it. */
const CLASS_OF = {
  /** No server answers at the addresses given. */
  'cannot-connect': 'transient',
  /** The server refused our credentials or the subject. */
  'not-authorized': 'auth',
  /** The connection was closed or is being drained by ourselves. */
  closed: 'transient',
  /** No answer in time: whether the server did it is unknown. */
  timeout: 'transient',
  /** Nobody serves the subject: no stream for it, or no leader at the moment. */
  'no-responders': 'transient',
  /** Somebody else wrote first (compare-and-set lost). */
  conflict: 'conflict',
  /** The stream is at its limit and discards new messages. */
  full: 'throttled',
  'too-large': 'invalid',
  'not-found': 'not_found',
  /** A stream, bucket or consumer exists with settings that we cannot work with. */
  incompatible: 'invalid',
  /** The server is too old for what was asked. */
  'unsupported-by-server': 'unsupported',
  /** The JetStream server refused for another reason. */
  rejected: 'invalid',
  'lease-lost': 'conflict',
  /** The program nats-server is not installed. */
  'server-missing': 'unsupported',
  'server-failed': 'transient',
  /** Another nats-server runs on the same data folder. */
  'data-in-use': 'conflict',
  'already-subscribed': 'invalid',
} as const satisfies Record<string, FailureClass>;

export type StreamErrorCode = keyof typeof CLASS_OF;

/** The only error that the streams throw on purpose. */
export class StreamError extends BackflowError {
  override readonly code: StreamErrorCode;

  constructor(code: StreamErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, CLASS_OF[code], message, options);
    this.code = code;
  }
}

/** Codes of a lost compare-and-set: the second comes from replicated streams that do not know the present sequence. */
const CONFLICT_CODES = new Set([10071, 10164]);
/** 10037 no message, 10014 no consumer, 10059 no stream. */
const NOT_FOUND_CODES = new Set([10014, 10037, 10059]);
/** 10023, 10028, 10047: out of memory or storage; 10077 is a failed store, full only by its text. */
const STORAGE_CODES = new Set([10023, 10028, 10047]);
/**
 * What a cluster says while it sorts itself out, without status 503: 10009 no leader yet, 10158 the same message is being stored
 * right now, 10167 too much under way.
 */
const SOON_CODES = new Set([10009, 10158, 10167]);

/** An error object in a JetStream API answer. */
export interface ApiFault {
  readonly code: number;
  readonly err_code?: number | undefined;
  readonly description?: string | undefined;
}

/** The typed error for an answer of the JetStream API; `doing` says what was tried (`publish to change.x`). */
export function fromApiFault(fault: ApiFault, doing: string): StreamError {
  const number = fault.err_code ?? 0;
  const description = fault.description ?? 'no description';
  const message = `NATS refused to ${doing}: ${description} (${number === 0 ? fault.code : number})`;
  if (CONFLICT_CODES.has(number)) return new StreamError('conflict', message);
  if (NOT_FOUND_CODES.has(number)) return new StreamError('not-found', message);
  if (STORAGE_CODES.has(number)) return new StreamError('full', message);
  if (number === 10077 && /maximum .*exceeded/i.test(description)) return new StreamError('full', message);
  if (number === 10054) return new StreamError('too-large', message);
  if (number === 10039) return new StreamError('unsupported-by-server', `${message}: enable JetStream`);
  // No leader at the moment, or JetStream is still starting: says 503 and goes away by itself.
  if (fault.code === 503 || SOON_CODES.has(number)) return new StreamError('no-responders', message);
  return new StreamError('rejected', message);
}

/** Any error of the client library as ours; ours pass through. Messages of the library hold no credentials. */
export function toStreamError(error: unknown, doing: string): StreamError {
  if (error instanceof StreamError) return error;
  const options = { cause: error };
  if (error instanceof TimeoutError) {
    return new StreamError('timeout', `NATS did not answer in time: ${doing}`, options);
  }
  if (isNoResponders(error)) {
    return new StreamError('no-responders', `Nobody at NATS serves this at the moment: ${doing}`, options);
  }
  if (error instanceof ClosedConnectionError || error instanceof DrainingConnectionError) {
    return new StreamError('closed', `The connection to NATS is closed: ${doing}`, options);
  }
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    return new StreamError('not-authorized', `NATS refused the credentials: ${doing}`, options);
  }
  if (error instanceof errors.PermissionViolationError) {
    const message = `NATS forbids the ${error.operation} on ${error.subject}: ${doing}`;
    return new StreamError('not-authorized', message, options);
  }
  const text = error instanceof Error ? error.message : String(error);
  return new StreamError('rejected', `NATS failed to ${doing}: ${text}`, options);
}

function isNoResponders(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true;
  if (error instanceof errors.RequestError && error.isNoResponders()) return true;
  // The JetStream API wraps it as "JetStream is not enabled".
  return error instanceof Error && error.cause !== undefined && isNoResponders(error.cause);
}

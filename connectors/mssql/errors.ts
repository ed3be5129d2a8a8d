import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { entry, type FailureEntry } from '../failure-entry.ts';

/**
 * When it happened: while connecting to the configured database or to another one of the server, or while a statement ran.
 * The same number concerns the whole target in the first case and one object in the others.
 */
export type Phase = 'connect' | 'connect-other-database' | 'statement';

const PRIVILEGE = entry('permission', 'object', 'The login lacks a privilege. Run the check for the exact GRANT.');
const LOST = entry('transient', 'target', 'The connection was lost.');
const LOGIN = entry('auth', 'target', 'The server refused the login. Check user name and password.');
const PASSWORD = entry('auth', 'target', "The login's password has expired or must be changed.");
const BUSY = entry('throttled', 'target', 'The server has reached a limit on workers or sessions.');
const MOVING = entry('transient', 'target', 'The database is not available at the moment (start, failover or move).');
const FULL = entry('transient', 'target', 'The server is short of a resource (memory, disk, log).');
const READ_ONLY = entry(
  'transient',
  'target',
  'The database is read-only: it is a secondary, or set so. Connect to the primary.',
);
const SYNTAX = entry('invalid', 'object', 'The server did not understand the statement.');
const NO_OBJECT = entry('not_found', 'object', 'The object does not exist, or this login may not see it.');
const TOO_LONG = entry('invalid', 'object', 'A value does not fit.');
const IN_DOUBT = entry('not_found', 'object', 'The object does not exist, or this login may not write to it.');

/** By the server's error number (`sys.messages`, and the list of transient errors of Azure SQL). */
const BY_NUMBER: Readonly<Record<number, FailureEntry>> = {
  64: LOST,
  102: SYNTAX,
  105: SYNTAX,
  156: SYNTAX,
  206: entry('invalid', 'object', 'A value is of a type that does not fit.'),
  207: entry('not_found', 'object', 'The column does not exist.'),
  208: NO_OBJECT,
  229: PRIVILEGE,
  230: PRIVILEGE,
  233: LOST,
  262: PRIVILEGE,
  297: PRIVILEGE,
  300: PRIVILEGE,
  596: entry('transient', 'target', 'The server ended the session (an administrator, or a new owner of the lane).'),
  701: FULL,
  802: FULL,
  911: entry('not_found', 'object', 'The database does not exist.'),
  916: PRIVILEGE,
  924: MOVING,
  927: MOVING,
  942: MOVING,
  945: MOVING,
  976: READ_ONLY,
  983: READ_ONLY,
  1088: NO_OBJECT,
  1105: FULL,
  1205: entry('transient', 'object', 'Deadlock with another session.'),
  1222: entry('transient', 'object', 'The object was locked by another session for longer than the lock timeout.'),
  2628: TOO_LONG,
  2812: entry('not_found', 'object', 'The procedure does not exist.'),
  3609: entry('invalid', 'object', 'A trigger of the database refused the statement.'),
  3906: READ_ONLY,
  3908: MOVING,
  3930: entry('transient', 'object', 'The transaction could not be committed.'),
  3960: entry('conflict', 'object', 'The transaction was rolled back because of another one.'),
  3961: entry('conflict', 'object', 'The object was changed by another session meanwhile.'),
  4060: entry(
    'transient',
    'target',
    'The database cannot be opened: it does not exist, the login has no user in it, or it is failing over.',
  ),
  4221: MOVING,
  4902: NO_OBJECT,
  6005: entry('transient', 'target', 'The server is shutting down.'),
  6102: PRIVILEGE,
  8152: TOO_LONG,
  9002: FULL,
  10053: LOST,
  10054: LOST,
  10060: LOST,
  10928: BUSY,
  10929: BUSY,
  15097: entry('invalid', 'object', 'An extended property holds at most 7,500 bytes.'),
  15110: entry('invalid', 'object', 'The new owner of the database must not be a user of it. Drop that user first.'),
  15135: IN_DOUBT,
  15151: entry('not_found', 'object', 'The object or the new owner does not exist, or this login may not use it.'),
  15217: entry('conflict', 'object', 'The property does not exist any more.'),
  15233: entry('conflict', 'object', 'The property exists already.'),
  15247: PRIVILEGE,
  15600: entry('invalid', 'object', 'A procedure was given an argument that it does not take.'),
  17142: entry('transient', 'target', 'The server is paused.'),
  17809: BUSY,
  18401: entry('transient', 'target', 'The server is starting.'),
  18452: entry('auth', 'target', 'The login is of an untrusted domain, or the server takes Windows logins only.'),
  18456: LOGIN,
  18470: entry('auth', 'target', 'The login is disabled.'),
  18486: entry('auth', 'target', 'The login is locked.'),
  18487: PASSWORD,
  18488: PASSWORD,
  40197: MOVING,
  40501: entry('throttled', 'target', 'The service is busy and asks to slow down.'),
  40532: LOGIN,
  40544: FULL,
  40613: MOVING,
  40615: entry('auth', 'target', "The server's firewall does not let this address in."),
  49918: BUSY,
  49919: BUSY,
  49920: BUSY,
};

/** Milliseconds after which Azure SQL asks to be tried again (40501). */
const RETRY_AFTER_MS: Readonly<Record<number, number>> = { 40501: 10_000 };

/** A statement under way carries the code of the socket itself. */
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

const TLS_CODES = /ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED|_IN_CHAIN|EENCRYPT/;
const TLS_WORDS = /certificate|wrong version number|tls|ssl routines|altnames/i;

/**
 * Turns whatever the driver threw into a failure. The server's own message is not passed on: it quotes names and pieces of statements.
 * `loginNumbers`: the errors that the server sent while logging in, which the driver does not pass on.
 */
export function failureOf(error: unknown, phase: Phase, loginNumbers: readonly number[] = []): Failure {
  if (error instanceof ConnectorError) return error.failure;
  const fields = fieldsOf(error);
  const numbers = phase === 'statement' ? fields.numbers : [...loginNumbers, ...fields.numbers];
  // The database's name comes before the refusal of the login that follows from it.
  const number = numbers.find((one) => BY_NUMBER[one] !== undefined) ?? numbers.at(-1);
  if (number !== undefined) return byNumber(number, phase);
  return byCode(fields, phase);
}

/** The error to throw for it. */
export function connectorErrorOf(error: unknown, phase: Phase, loginNumbers: readonly number[] = []): ConnectorError {
  if (error instanceof ConnectorError) return error;
  return new ConnectorError(failureOf(error, phase, loginNumbers));
}

function byNumber(number: number, phase: Phase): Failure {
  const known = BY_NUMBER[number] ?? entry('invalid', 'object', 'The server refused the statement.');
  const retryAfterMs = RETRY_AFTER_MS[number];
  const failure: Failure = { ...known, code: String(number), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (phase === 'statement') return failure;
  if (phase === 'connect') return { ...failure, scope: 'target' };
  // Only what is about that one database stays with its objects.
  return number === 4060 || number === 911 || number === 916
    ? { ...failure, class: 'not_found', scope: 'object' }
    : failure;
}

function byCode({ code, message, name }: ErrorFields, phase: Phase): Failure {
  const target = (failureClass: FailureClass, text: string): Failure => ({
    class: failureClass,
    scope: 'target',
    code,
    message: text,
  });
  if (TLS_CODES.test(code) || (phase !== 'statement' && code === 'ESOCKET' && TLS_WORDS.test(message))) {
    return target(
      'auth',
      'TLS could not be set up. Check encrypt, trustServerCertificate and the certificate of the server.',
    );
  }
  if (SOCKET_CODES.has(code)) {
    return target('transient', phase === 'statement' ? LOST.message : 'The server cannot be reached.');
  }
  switch (code) {
    case 'ELOGIN':
    case 'EFEDAUTH':
      return target('auth', LOGIN.message);
    case 'EINSTLOOKUP':
      return target('transient', 'The named instance was not found: the SQL Server Browser (UDP 1434) did not answer.');
    case 'ETIMEOUT':
      if (phase !== 'statement') return target('transient', 'The server did not answer in time.');
      return { ...target('transient', 'The statement ran into its time limit.'), scope: 'object' };
    case 'ECANCEL':
      return { ...target('transient', 'The statement was cancelled.'), scope: 'object' };
    case 'ESOCKET':
    case 'ECONNCLOSED':
    case 'ENOTOPEN':
    case 'EINVALIDSTATE':
    case 'ENOCONN':
      return target('transient', phase === 'statement' ? LOST.message : 'The server cannot be reached.');
    default:
  }
  if (/^(?:Final state|Requests can only be made in|Connection (?:lost|closed))/i.test(message)) {
    return { ...LOST, code: code === '' ? 'connection-lost' : code };
  }
  return {
    class: 'transient',
    scope: phase === 'statement' ? 'object' : 'target',
    code: code === '' ? 'unexpected' : code,
    message: `The driver failed in an unexpected way (${name}).`,
  };
}

interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  /** The server's numbers, the first error first. */
  readonly numbers: readonly number[];
}

function fieldsOf(error: unknown): ErrorFields {
  const record: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  const preceding = Array.isArray(record.precedingErrors) ? record.precedingErrors.flatMap(numberOf) : [];
  return {
    name: error instanceof Error ? error.name : typeof error,
    message: error instanceof Error ? error.message : '',
    code: typeof record.code === 'string' ? record.code : '',
    numbers: [...preceding, ...numberOf(error)],
  };
}

function numberOf(error: unknown): readonly number[] {
  if (typeof error !== 'object' || error === null || !('number' in error)) return [];
  return typeof error.number === 'number' && error.number > 0 ? [error.number] : [];
}

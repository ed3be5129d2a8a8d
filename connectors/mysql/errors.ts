import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { entry, type FailureEntry } from '../failure-entry.ts';

const LOST = entry('transient', 'target', 'The connection was lost.');
const SHORT_OF_RESOURCES = entry('transient', 'target', 'The server is short of a resource (memory, disk, threads).');
const BUSY = entry('throttled', 'target', 'The server has no free connection for this account.');
const LOGIN = entry(
  'auth',
  'target',
  'The server refused the login. Check user name, password and the host that the account is for.',
);
const READ_ONLY = entry(
  'transient',
  'target',
  'The server is read-only: it is a replica, or read_only is on. Connect to the primary.',
);
const PRIVILEGE = entry('permission', 'object', 'The account lacks a privilege. Run the check for the exact GRANT.');
const REBUILD = entry(
  'unsupported',
  'object',
  'needs rebuild: the server would have to copy the table to change this comment, which Backflow does not do.',
);
const TIMED_OUT = entry('transient', 'object', 'The statement ran into its time limit or was interrupted.');
const BAD_NAME = entry('not_found', 'object', 'No object can have such a name on this server.');

/** By the server's error number (MySQL and MariaDB error references). */
const BY_NUMBER: Readonly<Record<number, FailureEntry>> = {
  1021: SHORT_OF_RESOURCES,
  1037: SHORT_OF_RESOURCES,
  1038: SHORT_OF_RESOURCES,
  1040: BUSY,
  1041: SHORT_OF_RESOURCES,
  1042: LOST,
  1043: LOST,
  1044: PRIVILEGE,
  1045: LOGIN,
  1047: entry('transient', 'target', 'The cluster node is not ready for statements.'),
  1049: entry('not_found', 'object', 'The database does not exist.'),
  1053: entry('transient', 'target', 'The server is shutting down.'),
  1054: entry('not_found', 'object', 'The column does not exist.'),
  1059: BAD_NAME,
  1064: entry('invalid', 'object', 'The server did not understand the statement.'),
  1067: entry('invalid', 'object', "The server does not take the column's own default again."),
  1079: entry('transient', 'target', 'The server is shutting down.'),
  1099: entry('conflict', 'object', 'The table is locked by a statement of this session.'),
  1100: entry('conflict', 'object', 'The lock on the table was lost.'),
  1102: BAD_NAME,
  1103: BAD_NAME,
  1105: entry('transient', 'object', 'The server reported an error that it does not name.'),
  1114: SHORT_OF_RESOURCES,
  1129: entry('auth', 'target', 'The server blocks this host after too many failed connections (FLUSH HOSTS).'),
  1130: entry('auth', 'target', 'The server does not accept connections from this host.'),
  1135: SHORT_OF_RESOURCES,
  1142: PRIVILEGE,
  1143: PRIVILEGE,
  1146: entry('not_found', 'object', 'The table does not exist.'),
  1152: LOST,
  1158: LOST,
  1159: LOST,
  1160: LOST,
  1161: LOST,
  1166: BAD_NAME,
  1203: BUSY,
  1205: entry('transient', 'object', 'The table was in use for longer than the lock timeout.'),
  1213: entry('transient', 'object', 'Deadlock with another session.'),
  1226: BUSY,
  1227: PRIVILEGE,
  1251: entry('auth', 'target', 'The server asks for a way of logging in that is not supported.'),
  1300: entry('invalid', 'object', 'A name or text holds a character that the server cannot take in this place.'),
  1317: TIMED_OUT,
  1347: entry('unsupported', 'object', 'The object is a view, which has no comment.'),
  1412: entry('conflict', 'object', 'The table was changed by another session meanwhile.'),
  1615: entry('conflict', 'object', 'The table was changed by another session meanwhile.'),
  1628: entry('invalid', 'object', 'The comment is too long for a table.'),
  1629: entry('invalid', 'object', 'The comment is too long for a column.'),
  1698: LOGIN,
  1792: READ_ONLY,
  1800: entry('unsupported', 'object', 'The server does not know this way of altering a table; it is too old.'),
  1820: entry('auth', 'target', "The account's password has expired."),
  1836: READ_ONLY,
  1845: REBUILD,
  1846: REBUILD,
  1862: entry('auth', 'target', "The account's password has expired."),
  1927: LOST,
  1969: TIMED_OUT,
  2006: LOST,
  2013: LOST,
  3024: TIMED_OUT,
  3118: entry('auth', 'target', 'The account is locked.'),
  4031: LOST,
  4119: entry('unsupported', 'object', 'The server does not alter columns of a system-versioned table.'),
  4151: entry('auth', 'target', 'The account is locked.'),
  4160: entry('invalid', 'object', 'The comment is too long for a database.'),
};

const UNREACHABLE: ReadonlySet<string> = new Set([
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

const TLS =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HANDSHAKE_SSL_|HANDSHAKE_NO_SSL)|_IN_CHAIN$/;

/** When it happened: an error that concerns one object while a statement runs concerns the whole target while connecting. */
export type Phase = 'connect' | 'statement';

/**
 * Turns whatever the driver threw into a failure. The server's own message is not passed on: it quotes names and pieces of statements.
 */
export function failureOf(error: unknown, phase: Phase): Failure {
  if (error instanceof ConnectorError) return error.failure;
  const { number, code, message, name } = fieldsOf(error);
  if (number === 1290) {
    // One number for several server options; only its words tell them apart.
    if (/read[-_]only/i.test(message)) return { ...READ_ONLY, code: '1290' };
    return {
      class: 'unsupported',
      scope: 'object',
      code: '1290',
      message: 'An option of the server forbids the statement.',
    };
  }
  const known = number === undefined ? undefined : BY_NUMBER[number];
  if (known !== undefined) {
    const scope = phase === 'connect' ? 'target' : known.scope;
    return {
      ...known,
      scope,
      code: String(number),
      ...(phase === 'connect' && number === 1044 ? { class: 'auth' } : {}),
    };
  }
  if (TLS.test(code)) {
    const text = 'TLS could not be set up. Check sslMode and the certificates of the connection.';
    return { class: 'auth', scope: 'target', code, message: text };
  }
  if (UNREACHABLE.has(code)) {
    return { class: 'transient', scope: 'target', code, message: 'The server cannot be reached.' };
  }
  if (code.startsWith('AUTH_SWITCH') || code === 'ER_NOT_SUPPORTED_AUTH_MODE') {
    return {
      class: 'auth',
      scope: 'target',
      code,
      message: 'The server asks for a way of logging in that is not supported.',
    };
  }
  if (code.startsWith('PROTOCOL_') || /closed state|connection (was )?(lost|closed)/i.test(message)) {
    return { ...LOST, code: code === '' ? 'connection-lost' : code };
  }
  if (number !== undefined) {
    const text = 'The server refused the statement.';
    return { class: 'invalid', scope: phase === 'connect' ? 'target' : 'object', code: String(number), message: text };
  }
  return {
    class: 'transient',
    scope: phase === 'connect' ? 'target' : 'object',
    code: code === '' ? 'unexpected' : code,
    message: `The driver failed in an unexpected way (${name}).`,
  };
}

/** The error to throw for it. The driver's own error becomes the cause only where it cannot hold text from the catalogue. */
export function connectorErrorOf(error: unknown, phase: Phase): ConnectorError {
  if (error instanceof ConnectorError) return error;
  const failure = failureOf(error, phase);
  return new ConnectorError(failure, UNREACHABLE.has(failure.code) ? { cause: error } : {});
}

interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly number: number | undefined;
}

function fieldsOf(error: unknown): ErrorFields {
  const record: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  // Node's own network errors carry a negative errno.
  const number = typeof record.errno === 'number' && record.errno > 0 ? record.errno : undefined;
  return {
    name: error instanceof Error ? error.name : typeof error,
    message: error instanceof Error ? error.message : '',
    code: typeof record.code === 'string' ? record.code : '',
    number,
  };
}

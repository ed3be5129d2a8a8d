import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { entry, type FailureEntry } from '../failure-entry.ts';

const LOGIN = entry('auth', 'target', 'The server refused the login. Check username and password.');
const BUSY = entry('throttled', 'target', 'The server is overloaded, or a quota of the account is used up.');
const UNREACHABLE = entry('transient', 'target', 'The server cannot be reached.');
const SHORT = entry('transient', 'target', 'The server is short of a resource, or has trouble with its disk.');
const TIMED_OUT = entry('transient', 'object', 'The statement took longer than the server allows, or was cancelled.');
const IN_USE = entry('transient', 'object', 'The table was locked or changed by another statement.');
const NO_COORDINATION = entry('transient', 'target', 'The server has no connection to its Keeper or ZooKeeper.');
const NO_CLUSTER = entry(
  'unsupported',
  'object',
  'The server runs no statements ON CLUSTER: it has no Keeper or ZooKeeper. Take backflow.cluster away, or configure one.',
);

/** By the server's error code (ErrorCodes of ClickHouse 26.7; the numbers never change). */
const BY_CODE: Readonly<Record<number, FailureEntry>> = {
  1: entry('unsupported', 'object', 'The server does not support the statement for this object.'),
  10: entry('not_found', 'object', 'The column does not exist.'),
  16: entry('not_found', 'object', 'The column does not exist.'),
  36: entry('invalid', 'object', 'The server did not accept an argument of the statement.'),
  47: entry('not_found', 'object', 'The column does not exist.'),
  48: entry('unsupported', 'object', 'The engine of this object keeps no such comment.'),
  49: entry(
    'unsupported',
    'object',
    'The server has no stored definition of this object, so its comment cannot be changed.',
  ),
  60: entry('not_found', 'object', 'The table or view does not exist.'),
  62: entry('invalid', 'object', 'The server did not understand the statement.'),
  76: SHORT,
  81: entry('not_found', 'object', 'The database does not exist.'),
  115: entry('unsupported', 'target', 'The server is too old: it does not know a setting that Backflow needs.'),
  139: NO_CLUSTER,
  159: TIMED_OUT,
  160: TIMED_OUT,
  164: entry('permission', 'target', 'The account is read-only (setting readonly).'),
  170: entry('not_found', 'target', 'The server does not know the cluster. Check backflow.cluster.'),
  192: LOGIN,
  193: LOGIN,
  194: LOGIN,
  195: entry('auth', 'target', 'The account may not log in from this address.'),
  201: BUSY,
  202: BUSY,
  209: UNREACHABLE,
  210: UNREACHABLE,
  218: entry('not_found', 'object', 'The table was dropped meanwhile.'),
  225: NO_COORDINATION,
  229: entry(
    'invalid',
    'object',
    "The table's definition with all comments would exceed max_query_size. Shorten the descriptions of the table and its columns.",
  ),
  236: entry('transient', 'target', 'The server aborted the statement; it may be shutting down.'),
  241: BUSY,
  242: entry('transient', 'object', 'The replica of the table is read-only for the moment.'),
  243: SHORT,
  279: entry('transient', 'object', 'Another server that takes part in this could not be reached.'),
  291: entry('permission', 'object', 'The account may not use the database.'),
  319: TIMED_OUT,
  341: entry('transient', 'object', 'Not all replicas have carried out the statement in time.'),
  344: entry('unsupported', 'object', 'The feature is switched off on the server.'),
  392: NO_CLUSTER,
  394: TIMED_OUT,
  439: SHORT,
  452: entry(
    'permission',
    'target',
    "A constraint of the account's settings profile forbids a setting that Backflow needs.",
  ),
  473: IN_USE,
  497: entry('permission', 'object', 'The account lacks a privilege. Run the check for the exact GRANT.'),
  516: LOGIN,
  517: entry('conflict', 'object', 'Another change of the table is under way.'),
  529: IN_USE,
  701: entry('not_found', 'target', 'The server does not know the cluster. Check backflow.cluster.'),
  745: BUSY,
  999: NO_COORDINATION,
  1000: TIMED_OUT,
  1001: TIMED_OUT,
  1002: TIMED_OUT,
};

const NODE_CODES: ReadonlySet<string> = new Set([
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

const TLS = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)|_IN_CHAIN$/;

/** When it happened: what concerns one object while a statement runs concerns the whole target while connecting. */
export type Phase = 'connect' | 'statement';

/**
 * Turns whatever the driver threw into a failure. The server's own message is not passed on: it quotes names and pieces of statements.
 */
export function failureOf(error: unknown, phase: Phase): Failure {
  if (error instanceof ConnectorError) return error.failure;
  const { code, message, name } = fieldsOf(error);
  if (/^\d+$/.test(code)) {
    const known = BY_CODE[Number(code)] ?? entry('invalid', 'object', 'The server refused the statement.');
    return { ...known, scope: phase === 'connect' ? 'target' : known.scope, code };
  }
  if (TLS.test(code)) {
    const text = 'TLS could not be set up. Check https, the port and the certificates of the connection.';
    return { class: 'auth', scope: 'target', code, message: text };
  }
  if (NODE_CODES.has(code)) return { ...UNREACHABLE, code };
  if (code.startsWith('HPE_') || message.includes('is for clickhouse-client program')) {
    const text =
      'The address does not answer in HTTP. Is hostPort the native port (9000, 9440)? The HTTP port is 8123 or 8443.';
    return { class: 'transient', scope: 'target', code: code === '' ? 'native-port' : code, message: text };
  }
  if (message === 'Timeout error.') {
    return { class: 'transient', scope: 'target', code: 'no-answer', message: 'The server did not answer in time.' };
  }
  if (/socket hang up|aborted a request|premature close/i.test(message)) {
    return { class: 'transient', scope: 'target', code: 'connection-lost', message: 'The connection was lost.' };
  }
  // The driver makes a plain error of every answer that is not one of ClickHouse's: a proxy's, a load balancer's.
  const text = `The answer was not one of ClickHouse's (${name}): a proxy, or another service, may stand at this address.`;
  return { class: 'transient', scope: 'target', code: code === '' ? 'no-clickhouse-answer' : code, message: text };
}

/** The error to throw for it. The driver's own error becomes the cause only where it cannot hold text from the catalogue. */
export function connectorErrorOf(error: unknown, phase: Phase): ConnectorError {
  if (error instanceof ConnectorError) return error;
  const failure = failureOf(error, phase);
  return new ConnectorError(failure, NODE_CODES.has(failure.code) ? { cause: error } : {});
}

function fieldsOf(error: unknown): { readonly name: string; readonly message: string; readonly code: string } {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return {
    name: error instanceof Error ? error.name : typeof error,
    message: error instanceof Error ? error.message : '',
    code: typeof code === 'string' ? code : '',
  };
}

import type { Failure, FailureClass, FailureScope } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';

/**
 * When it happened: while connecting to the configured database or to another one of the server, or while a statement ran.
 * The same code concerns the whole target in the first case and one object in the others.
 */
export type Phase = 'connect' | 'connect-other-database' | 'statement';

interface Entry {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  readonly message: string;
}

const entry = (failureClass: FailureClass, scope: FailureScope, message: string): Entry => ({
  class: failureClass,
  scope,
  message,
});

/** By SQLSTATE, or by its first two characters (PostgreSQL manual, appendix "Error Codes"). The longer one wins. */
const BY_SQLSTATE: Readonly<Record<string, Entry>> = {
  '08': entry('transient', 'target', 'The connection failed.'),
  '08P01': entry('invalid', 'object', 'The server could not read the message (protocol violation).'),
  '0A': entry('unsupported', 'object', 'This server does not support the statement.'),
  '22': entry('invalid', 'object', 'A value does not fit.'),
  '22021': entry('invalid', 'object', "The text holds a character that the server's encoding does not know."),
  '22P05': entry('invalid', 'object', "The text holds a character that the server's encoding does not know."),
  '25006': entry(
    'transient',
    'target',
    'The server is read-only: it is a standby, or default_transaction_read_only is on. Connect to the primary.',
  ),
  '28': entry('auth', 'target', 'The server refused the login. Check user name, password and pg_hba.conf.'),
  '3D000': entry('not_found', 'object', 'The database does not exist.'),
  '3F000': entry('not_found', 'object', 'The schema does not exist.'),
  '40': entry('conflict', 'object', 'The transaction was rolled back because of another one.'),
  '40P01': entry('transient', 'object', 'Deadlock with another session.'),
  '42': entry('invalid', 'object', 'The server did not accept the statement.'),
  '42501': entry('permission', 'object', 'The role that Backflow uses lacks a privilege.'),
  '42601': entry('invalid', 'object', 'The statement has a syntax error.'),
  '42622': entry('invalid', 'object', 'A name has more than 63 bytes; the server would have cut it.'),
  '42703': entry('not_found', 'object', 'The column does not exist.'),
  '42704': entry('not_found', 'object', 'The object or role does not exist.'),
  '42809': entry('invalid', 'object', 'The object is of another kind than the statement says.'),
  '42939': entry('invalid', 'object', 'The name is reserved.'),
  '42P01': entry('not_found', 'object', 'The table or view does not exist.'),
  '53': entry('transient', 'target', 'The server is short of a resource (memory, disk).'),
  '53300': entry('throttled', 'target', 'The server has no free connection.'),
  '55': entry('transient', 'object', 'The object is in use.'),
  '55P03': entry('transient', 'object', 'The object was locked by another session for longer than the lock timeout.'),
  '57': entry('transient', 'target', 'The server ended the session (shutdown, restart or an administrator).'),
  '57014': entry('transient', 'object', 'The statement ran into its timeout or was cancelled.'),
  '58': entry('transient', 'target', 'The server has trouble with its system or files.'),
  P0: entry('invalid', 'object', 'A function or event trigger in the database refused the statement.'),
  XX: entry('transient', 'object', 'The server reported an internal error.'),
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

const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)|_IN_CHAIN$/;

/**
 * Turns whatever the driver threw into a failure. The server's own message is not passed on: it quotes names and pieces of
 * statements. Code, place and our own sentence say what is needed.
 */
export function failureOf(error: unknown, phase: Phase): Failure {
  if (error instanceof ConnectorError) return error.failure;
  const fields = fieldsOf(error);
  if (/^[0-9A-Z]{5}$/.test(fields.code) && fields.severity !== '') return byState(fields, phase);
  if (TLS_CODES.test(fields.code) || fields.message.includes('does not support SSL connections')) {
    const message = 'TLS could not be set up. Check sslMode and the certificates of the connection.';
    return { class: 'auth', scope: 'target', code: fields.code || 'tls-refused', message };
  }
  if (fields.message.startsWith('SASL')) {
    const message = 'The server asks for a password, and the connection has none that it accepts.';
    return { class: 'auth', scope: 'target', code: 'password-missing', message };
  }
  if (NODE_CODES.has(fields.code)) {
    return { class: 'transient', scope: 'target', code: fields.code, message: 'The server cannot be reached.' };
  }
  if (/^Connection terminated|^Client has encountered a connection error|^Client was closed/.test(fields.message)) {
    return { class: 'transient', scope: 'target', code: 'connection-lost', message: 'The connection was lost.' };
  }
  if (/timeout/i.test(fields.message)) {
    return { class: 'transient', scope: 'target', code: 'no-answer', message: 'The server did not answer in time.' };
  }
  return {
    class: 'transient',
    scope: phase === 'connect' ? 'target' : 'object',
    code: 'unexpected',
    message: `The driver failed in an unexpected way (${fields.name}).`,
  };
}

/** The error to throw for it. The driver's own error becomes the cause only where it cannot hold text from the catalogue. */
export function connectorErrorOf(error: unknown, phase: Phase): ConnectorError {
  if (error instanceof ConnectorError) return error;
  const failure = failureOf(error, phase);
  return new ConnectorError(failure, NODE_CODES.has(failure.code) ? { cause: error } : {});
}

function byState(fields: ErrorFields, phase: Phase): Failure {
  const { code } = fields;
  const found = BY_SQLSTATE[code] ?? BY_SQLSTATE[code.slice(0, 2)];
  const base = found ?? entry('invalid', 'object', 'The server refused the statement.');
  const failure: Failure = { ...base, code, message: `${base.message}${detailOf(fields)}` };
  if (phase === 'statement') {
    // Two sessions changed the same catalog row; there is no SQLSTATE of its own for it.
    const collided = code === 'XX000' && fields.message.startsWith('tuple concurrently');
    return collided
      ? { ...failure, class: 'conflict', message: 'Another session changed the object meanwhile.' }
      : failure;
  }
  if (phase === 'connect') return { ...failure, scope: 'target' };
  // Only what is about that one database stays with its objects.
  return code === '3D000' || code === '42501' || code.startsWith('55') ? { ...failure, scope: 'object' } : failure;
}

function detailOf(fields: ErrorFields): string {
  if (fields.code === '42501') return ` ${missingPrivilege(fields)}`;
  return fields.position === '' ? '' : ` (at character ${fields.position})`;
}

/** The server has one code for three things that need different repairs; its routine and words tell them apart. */
function missingPrivilege({ routine, message }: ErrorFields): string {
  if (routine === 'check_can_set_role' || message.includes('SET ROLE')) {
    return 'It cannot SET ROLE to the new owner: GRANT the new owner to it.';
  }
  if (message.startsWith('must be owner')) return 'Comments and owners need ownership: GRANT the owning role to it.';
  if (message.startsWith('permission denied for schema')) {
    return 'It needs USAGE on the schema, and a new owner needs CREATE on it.';
  }
  if (message.startsWith('permission denied for database')) {
    return 'It needs CONNECT on the database, and the new owner of a schema needs CREATE on it.';
  }
  if (message.startsWith('permission denied to change owner')) return 'ALTER DATABASE … OWNER needs CREATEDB.';
  return 'Run the check for the exact GRANT.';
}

interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly severity: string;
  readonly routine: string;
  readonly position: string;
}

function fieldsOf(error: unknown): ErrorFields {
  const record: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  const field = (name: string) => (typeof record[name] === 'string' ? record[name] : '');
  return {
    name: error instanceof Error ? error.name : typeof error,
    message: error instanceof Error ? error.message : '',
    code: field('code'),
    severity: field('severity'),
    routine: field('routine'),
    position: field('position'),
  };
}

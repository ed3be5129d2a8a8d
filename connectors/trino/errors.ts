import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { entry, type FailureEntry } from '../failure-entry.ts';

const STOPPED = entry('transient', 'object', 'The statement was stopped before it had ended.');
const BUSY = entry('throttled', 'target', 'The cluster is overloaded, or a limit of its resource group is reached.');
const CLUSTER = entry('transient', 'target', 'The cluster is starting, stopping, or has lost its workers.');
const COMMIT = entry('conflict', 'object', 'Another change of the table was committed at the same time.');
const ENGINE = entry('transient', 'object', 'The system behind the catalog failed or refused the statement.');

/** By the server's error name (StandardErrorCode and the connectors' own codes, as of Trino 476 and 483). */
const BY_NAME: Readonly<Record<string, FailureEntry>> = {
  SYNTAX_ERROR: entry('invalid', 'object', 'The server did not understand the statement.'),
  NOT_SUPPORTED: entry('unsupported', 'object', "The catalog's connector does not support this."),
  PERMISSION_DENIED: entry('permission', 'object', 'Access was denied. Run the check for what is missing.'),
  QUERY_TEXT_TOO_LARGE: entry('invalid', 'object', 'The statement is longer than query.max-length allows.'),
  TABLE_NOT_FOUND: entry('not_found', 'object', 'The table or view does not exist.'),
  SCHEMA_NOT_FOUND: entry('not_found', 'object', 'The schema does not exist.'),
  CATALOG_NOT_FOUND: entry('not_found', 'object', 'The catalog does not exist.'),
  COLUMN_NOT_FOUND: entry('not_found', 'object', 'The column does not exist.'),
  ROLE_NOT_FOUND: entry('not_found', 'object', 'The role does not exist.'),
  NOT_FOUND: entry('not_found', 'object', 'The object does not exist.'),
  MISSING_SCHEMA_NAME: entry('invalid', 'object', 'The statement does not name the schema.'),
  MISSING_CATALOG_NAME: entry('invalid', 'object', 'The statement does not name the catalog.'),
  READ_ONLY_VIOLATION: entry('invalid', 'object', 'The statement writes in a read-only transaction.'),
  AUTOCOMMIT_WRITE_CONFLICT: entry('invalid', 'object', 'The statement cannot run in a transaction.'),
  TRANSACTION_CONFLICT: COMMIT,
  ICEBERG_COMMIT_ERROR: COMMIT,
  HIVE_CONCURRENT_MODIFICATION_DETECTED: COMMIT,
  SERVER_STARTING_UP: CLUSTER,
  SERVER_SHUTTING_DOWN: CLUSTER,
  NO_NODES_AVAILABLE: CLUSTER,
  REMOTE_HOST_GONE: CLUSTER,
  QUERY_QUEUE_FULL: BUSY,
  QUERY_REJECTED: BUSY,
  CLUSTER_OUT_OF_MEMORY: BUSY,
  EXCEEDED_TIME_LIMIT: STOPPED,
  EXCEEDED_CPU_LIMIT: STOPPED,
  ABANDONED_QUERY: STOPPED,
  USER_CANCELED: STOPPED,
  ADMINISTRATIVELY_KILLED: STOPPED,
  ADMINISTRATIVELY_PREEMPTED: STOPPED,
  JDBC_ERROR: ENGINE,
};

/** By the type of the error, where the name is not known. */
const BY_TYPE: Readonly<Record<string, FailureEntry>> = {
  INSUFFICIENT_RESOURCES: BUSY,
  EXTERNAL: ENGINE,
  INTERNAL_ERROR: entry('transient', 'object', 'The server failed in a way that it does not name.'),
};

const REFUSED = entry('invalid', 'object', 'The server refused the statement.');

/** What the words of an answer tell beyond its error name. The words themselves are not kept: they quote names and texts. */
export type QueryHint = 'connector-lacks' | 'roles-lacking' | 'other-kind';

/** An error as Trino reports it in the pages of a statement. */
export interface QueryError {
  readonly message: string;
  readonly errorName: string;
  readonly errorType: string;
  readonly failureType?: string;
}

/** When it happened: what concerns one object while a statement runs concerns the whole target while connecting. */
export type Phase = 'connect' | 'statement';

/** A statement that the server refused or could not finish. */
export class TrinoQueryError extends ConnectorError {
  readonly hint: QueryHint | undefined;

  constructor(failure: Failure, hint: QueryHint | undefined) {
    super(failure);
    this.hint = hint;
  }
}

/** Turns an error of a statement into what is thrown. The server's own message is not passed on. */
export function queryError(error: QueryError, phase: Phase): TrinoQueryError {
  const commit = /CommitFailedException$/.test(error.failureType ?? '') ? COMMIT : undefined;
  const known = commit ?? BY_NAME[error.errorName] ?? BY_TYPE[error.errorType] ?? REFUSED;
  const scope = phase === 'connect' ? 'target' : known.scope;
  const failure: Failure = { ...known, scope, code: error.errorName };
  return new TrinoQueryError(phase === 'connect' ? atConnect(failure) : failure, hintOf(error));
}

/** The first statement asks for nothing that could be missing: what it is denied is the login, the roles or the session. */
function atConnect(failure: Failure): Failure {
  if (failure.class !== 'permission') return failure;
  const message =
    'The account may not log in so: the server refuses the user, one of the roles, or a session property.';
  return { ...failure, class: 'auth', message };
}

function hintOf({ errorName, message }: QueryError): QueryHint | undefined {
  if (errorName === 'NOT_SUPPORTED') {
    if (/does not support roles|owner type as a role/i.test(message)) return 'roles-lacking';
    // The engine's own words where a connector does not implement something; others concern one object (a format, a version).
    return /^(This connector does not support|Catalog does not support) /.test(message) ? 'connector-lacks' : undefined;
  }
  return errorName === 'TABLE_NOT_FOUND' && / with that name exists/.test(message) ? 'other-kind' : undefined;
}

const HTTP: Readonly<Record<number, FailureEntry>> = {
  400: entry(
    'invalid',
    'target',
    'The server does not accept the request: a header or a session property is malformed.',
  ),
  401: entry('auth', 'target', 'The server refused the login. Check username and credentials.'),
  403: entry(
    'auth',
    'target',
    'The server denies access: it takes no password over plain HTTP, or the user may not be used.',
  ),
  404: entry(
    'transient',
    'target',
    'There is no Trino at this address, or it has forgotten the statement (a restart).',
  ),
  406: entry(
    'invalid',
    'target',
    'A proxy adds X-Forwarded headers, and the server is not set to process them (http-server.process-forwarded).',
  ),
  429: entry('throttled', 'target', 'The server asks to be left alone for a while.'),
  502: entry('transient', 'target', 'The server cannot be reached through its proxy.'),
  503: entry('transient', 'target', 'The server is not available.'),
  504: entry('transient', 'target', 'The server did not answer its proxy in time.'),
};

/** The error for an HTTP status that is no answer to a statement. `retryAfterMs`: what the server asked for. */
export function httpError(status: number, retryAfterMs?: number): ConnectorError {
  const known =
    HTTP[status] ??
    (status >= 500
      ? entry('transient', 'target', 'The server failed.')
      : status >= 300 && status < 400
        ? entry(
            'invalid',
            'target',
            'The server redirects. Check hostPort and the scheme (connectionArguments.http_scheme).',
          )
        : entry(
            'transient',
            'target',
            "The answer was not one of Trino's: another service may stand at this address.",
          ));
  return new ConnectorError({
    ...known,
    code: `http-${status}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

const TLS = /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)|_IN_CHAIN$/;

/** The error for what went wrong below HTTP. Node's own errors hold addresses only, so they may become the cause. */
export function networkError(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error;
  const code = codeOf(error);
  if (TLS.test(code)) {
    const message =
      'TLS could not be set up. Check http_scheme, the port, verify and the certificates of the connection.';
    return new ConnectorError({ class: 'auth', scope: 'target', code, message });
  }
  if (code.startsWith('HPE_')) {
    const message = 'The address does not answer in HTTP. Is it an HTTPS port? Set connectionArguments.http_scheme.';
    return new ConnectorError({ class: 'transient', scope: 'target', code, message });
  }
  const known = /^E[A-Z_]+$/.test(code);
  const message = known ? 'The server cannot be reached.' : 'The connection was lost.';
  const failure: Failure = { class: 'transient', scope: 'target', code: known ? code : 'connection-lost', message };
  return new ConnectorError(failure, known ? { cause: error } : {});
}

export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { type StateTable, stateMeaning } from './sql-states.ts';

/**
 * When it happened: while connecting to the configured database or to another one of the server, or while a statement ran.
 * The same code concerns the whole target in the first case and one object in the others.
 */
export type Phase = 'connect' | 'connect-other-database' | 'statement';

/** What the server or the driver says about an error; absent fields are empty. */
export interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly severity: string;
  readonly routine: string;
  readonly position: string;
}

/** Turns whatever the driver threw into a failure of ours. */
export interface ErrorReader {
  failureOf(error: unknown, phase: Phase): Failure;
  /** The error to throw for it. The driver's own error becomes the cause only where it cannot hold text from the catalogue. */
  connectorErrorOf(error: unknown, phase: Phase): ConnectorError;
}

/** What differs between the systems that speak this protocol. */
export interface ErrorRules {
  readonly states: StateTable;
  /** What to add to the sentence about a missing privilege (42501). */
  missingPrivilege(fields: ErrorFields): string;
  /** A failure of a statement seen with more than its code. */
  refine?(failure: Failure, fields: ErrorFields): Failure;
}

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
 * Reads the errors of one system. The server's own message is not passed on: it quotes names and pieces of statements.
 * Code, place and our own sentence say what is needed.
 */
export function errorReader(rules: ErrorRules): ErrorReader {
  const failureOf = (error: unknown, phase: Phase): Failure => {
    if (error instanceof ConnectorError) return error.failure;
    const fields = fieldsOf(error);
    const fromServer = /^[0-9A-Z]{5}$/.test(fields.code) && fields.severity !== '';
    return fromServer ? byState(rules, fields, phase) : driverFailure(fields, phase);
  };
  return {
    failureOf,
    connectorErrorOf(error, phase) {
      if (error instanceof ConnectorError) return error;
      const failure = failureOf(error, phase);
      return new ConnectorError(failure, NODE_CODES.has(failure.code) ? { cause: error } : {});
    },
  };
}

function byState(rules: ErrorRules, fields: ErrorFields, phase: Phase): Failure {
  const { code } = fields;
  const base = stateMeaning(rules.states, code);
  const failure: Failure = { ...base, code, message: `${base.message}${detailOf(rules, fields)}` };
  if (phase === 'statement') return rules.refine?.(failure, fields) ?? failure;
  if (phase === 'connect') return { ...failure, scope: 'target' };
  // Only what is about that one database stays with its objects.
  return code === '3D000' || code === '42501' || code.startsWith('55') ? { ...failure, scope: 'object' } : failure;
}

function detailOf(rules: ErrorRules, fields: ErrorFields): string {
  if (fields.code === '42501') return ` ${rules.missingPrivilege(fields)}`;
  return fields.position === '' ? '' : ` (at character ${fields.position})`;
}

function driverFailure(fields: ErrorFields, phase: Phase): Failure {
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

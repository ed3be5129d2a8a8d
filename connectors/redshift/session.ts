import type { ClientBase } from 'pg';
import { ConnectorError } from '../connector-error.ts';
import { redshiftErrors } from './errors.ts';

/** Milliseconds after which the server ends a statement of ours; Redshift takes no unit here. */
const STATEMENT_MS = 60_000;

/** How a server reads two backslashes between single quotes: as one (it is an escape) or as both. */
export type BackslashReading = 'escape' | 'literal';

/** No function stands in it, so that nobody can put one of the same name in its place. */
const PROBE = String.raw`SELECT '\\' AS plain, $bf$\\$bf$ AS dollar`;

interface ProbeRow {
  readonly plain: string;
  readonly dollar: string;
}

/**
 * Makes a new session what the dialect takes it to be: quoted names are exact, statements end. Throws `ConnectorError`.
 * Without the first setting a quoted name is folded to lower case, and a write would go to another object.
 */
export async function setUpSession(session: ClientBase): Promise<void> {
  try {
    await session.query('SET enable_case_sensitive_identifier TO true').catch(refuseFolding);
    await session.query(`SET statement_timeout TO ${STATEMENT_MS}`);
    await readBackslashes(session);
  } catch (error) {
    throw redshiftErrors.connectorErrorOf(error, 'connect');
  }
}

function refuseFolding(cause: unknown): never {
  const { failure } = redshiftErrors.connectorErrorOf(cause, 'connect');
  if (failure.code !== '42704' && failure.class !== 'invalid') throw cause;
  throw new ConnectorError({
    class: 'unsupported',
    scope: 'target',
    code: 'names-folded',
    message:
      'The server does not take SET enable_case_sensitive_identifier; without it names that differ in case cannot be told apart.',
  });
}

/**
 * How the server reads backslashes. Dollar quotes, which hold every backslash that we write, must leave it alone; on a server where
 * they do not, nothing is written at all.
 */
export async function readBackslashes(session: ClientBase): Promise<BackslashReading> {
  const { rows } = await session.query<ProbeRow>(PROBE);
  const { plain, dollar } = rows[0] ?? {};
  const reading = plain === '\\' ? 'escape' : plain === '\\\\' ? 'literal' : undefined;
  if (reading !== undefined && dollar === '\\\\') return reading;
  throw new ConnectorError({
    class: 'unsupported',
    scope: 'target',
    code: 'literals-unknown',
    message: 'The server reads backslashes in literals in a way that is not known, so no text is safe to write there.',
  });
}

import type { Failure } from '../src/domain/failure.ts';
import { ConnectorError } from './connector-error.ts';

/** The failure of one object; what concerns the whole target, or is no failure of a connection at all, is thrown on. */
export function objectFailure(error: unknown): Failure {
  if (error instanceof ConnectorError && error.scope === 'object') return error.failure;
  throw error;
}

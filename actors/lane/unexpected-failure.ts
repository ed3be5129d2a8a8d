import type { Failure } from '../../src/domain/failure.ts';

/**
 * The failure of one object on which something of ours, or of a library, threw what nobody expected. `what`: what did not work. Of the
 * error only its kind is told, since its message may hold catalogue text or a secret.
 */
export function unexpectedFailure(what: string, error: unknown): Failure {
  const name = error instanceof Error ? error.name : typeof error;
  return { class: 'invalid', scope: 'object', code: 'unexpected', message: `${what} (unexpected ${name})` };
}

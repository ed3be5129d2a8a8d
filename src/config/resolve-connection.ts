import type { ConnectorSpec } from '../../connectors/contract.ts';
import { BackflowError } from '../domain/failure.ts';
import type { Json } from '../domain/json.ts';
import { formatProblem } from './problem.ts';
import { resolveSecrets, type SecretSources } from './resolve-secrets.ts';
import { schemaProblems } from './schema-problems.ts';

/** A connection that does not fit its connector once its references are resolved. Names places, never values. */
export class ConnectionConfigError extends BackflowError {
  constructor(message: string) {
    super('invalid-connection', 'auth', message);
  }
}

/**
 * What a connector opens: the configured connection with its references resolved, checked by the connector's own schema.
 * To be called each time a connection is opened, so that a rotated secret is picked up; the result is never stored or logged.
 * Throws `SecretError` or `ConnectionConfigError`.
 */
export function resolveConnection<Config>(
  spec: ConnectorSpec<Config>,
  connection: Json,
  sources: SecretSources,
): Config {
  const resolved = resolveSecrets(connection, sources, ['connection']);
  const parsed = spec.config.safeParse(resolved);
  if (parsed.success) return parsed.data;
  const problems = schemaProblems(spec.config, parsed.error.issues, ['connection']);
  throw new ConnectionConfigError(
    `the connection does not fit ${spec.name}: ${problems.map(formatProblem).join('; ')}`,
  );
}

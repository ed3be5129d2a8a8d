import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Connection } from '../../connectors/contract.ts';
import { BackflowError, type Failure } from '../../src/domain/failure.ts';

/**
 * The lane's connection to its target: opened when first needed, closed after a failure that concerns the whole target
 * (credentials may have been changed meanwhile), and opened anew on the next attempt.
 */
export class TargetSession {
  readonly #open: () => Promise<Connection>;
  #connection: Connection | undefined;

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  async connection(): Promise<Connection> {
    this.#connection ??= await this.#open();
    return this.#connection;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => undefined);
  }
}

/** The failure of the whole target behind an error, whatever threw it. An unknown error counts as transient: nothing is lost by trying again. */
export function targetFailure(error: unknown): Failure {
  if (error instanceof ConnectorError) return { ...error.failure, scope: 'target' };
  // Our own errors hold no secrets (a reference that cannot be resolved, a connection that does not fit).
  if (error instanceof BackflowError)
    return { class: error.class, scope: 'target', code: error.code, message: error.message };
  const name = error instanceof Error ? error.name : typeof error;
  return { class: 'transient', scope: 'target', code: 'unexpected', message: `unexpected ${name} from the connector` };
}

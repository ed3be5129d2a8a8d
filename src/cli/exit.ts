import { ConnectorError } from '../../connectors/connector-error.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { ConfigurationError } from '../service.ts';

/** Exit codes of all commands. */
export const EXIT = { ok: 0, problems: 1, usage: 2, cannotConnect: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command was called wrongly; the message says how to call it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What a person needs to know of an error, and the exit code that fits it. Never a stack, never a secret. */
export function explainError(error: unknown): { readonly message: string; readonly code: ExitCode } {
  if (error instanceof UsageError) return { message: error.message, code: EXIT.usage };
  if (error instanceof ConfigurationError) return { message: `the configuration is not valid:\n${error.message}`, code: EXIT.problems };
  if (error instanceof StreamError) {
    const unreachable = ['cannot-connect', 'not-authorized', 'no-responders', 'timeout', 'server-missing', 'server-failed', 'data-in-use'];
    return { message: error.message, code: unreachable.includes(error.code) ? EXIT.cannotConnect : EXIT.problems };
  }
  if (error instanceof ConnectorError) return { message: error.message, code: error.scope === 'target' ? EXIT.cannotConnect : EXIT.problems };
  return { message: error instanceof Error ? error.message : String(error), code: EXIT.problems };
}

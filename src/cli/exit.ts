import { ConnectorError } from '../../connectors/connector-error.ts';
import { StreamError, type StreamErrorCode } from '../../streams/nats/stream-error.ts';
import { BackflowError } from '../domain/failure.ts';

/** Exit codes of all commands. */
export const EXIT = { ok: 0, problems: 1, usage: 2, cannotConnect: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command was called wrongly; the message says how to call it. */
export class UsageError extends BackflowError {
  constructor(message: string) {
    super('usage', 'invalid', message);
  }
}

const UNREACHABLE: readonly StreamErrorCode[] = [
  'cannot-connect',
  'not-authorized',
  'no-responders',
  'timeout',
  'closed',
  'server-missing',
  'server-failed',
  'data-in-use',
];

/** What a person needs to know of an error, and the exit code that fits it. Never a stack, never a secret. */
export function explainError(error: unknown): { readonly message: string; readonly code: ExitCode } {
  if (error instanceof UsageError) return { message: error.message, code: EXIT.usage };
  if (error instanceof StreamError) {
    return { message: error.message, code: UNREACHABLE.includes(error.code) ? EXIT.cannotConnect : EXIT.problems };
  }
  if (error instanceof ConnectorError) {
    return { message: error.message, code: error.scope === 'target' ? EXIT.cannotConnect : EXIT.problems };
  }
  if (error instanceof BackflowError && error.code === 'invalid-configuration') {
    return { message: `the configuration is not valid:\n${error.message}`, code: EXIT.problems };
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    const message = `${error.message}. Stop what listens there, or set BACKFLOW_HTTP to another host:port.`;
    return { message, code: EXIT.problems };
  }
  return { message: error instanceof Error ? error.message : String(error), code: EXIT.problems };
}

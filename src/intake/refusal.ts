import { StreamError } from '../../streams/nats/stream-error.ts';
import type { IntakeProblem } from './dead-letter.ts';

/** The problem when trying the same event again cannot help; undefined while NATS is only away, slow or full. */
export function refusalOf(error: unknown, eventId: string): IntakeProblem | undefined {
  if (!(error instanceof StreamError)) {
    return { code: 'intake-failed', message: 'Intake could not handle this event; the log says why.', eventId };
  }
  if (error.class !== 'invalid') return undefined;
  return { code: `nats-${error.code}`, message: `NATS does not take this event: ${error.message}`, eventId };
}

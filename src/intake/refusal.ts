import { StreamError } from '../../streams/nats/stream-error.ts';
import { BackflowError } from '../domain/failure.ts';
import type { IntakeProblem } from './dead-letter.ts';

export const EVENT_TOO_LARGE = 'event-too-large';

/** An event that does not fit into one message even when slimmed. Sizes in bytes. */
export class EventTooLargeError extends BackflowError {
  constructor(size: number, limit: number) {
    super(
      EVENT_TOO_LARGE,
      'invalid',
      `The event has ${size} bytes even without what no lane needs, and a message may have ${limit}. Raise max_payload of the NATS server and send it again.`,
    );
  }
}

/** The problem when trying the same event again cannot help; undefined while NATS is only away, slow or full. */
export function refusalOf(error: unknown, eventId: string): IntakeProblem | undefined {
  if (error instanceof EventTooLargeError) return { code: error.code, message: error.message, eventId };
  if (!(error instanceof StreamError)) {
    return { code: 'intake-failed', message: 'Intake could not handle this event; the log says why.', eventId };
  }
  if (error.class !== 'invalid') return undefined;
  return { code: `nats-${error.code}`, message: `NATS does not take this event: ${error.message}`, eventId };
}

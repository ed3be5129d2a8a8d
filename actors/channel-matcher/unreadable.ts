import { parseLargeEvent } from '../../src/domain/large-event.ts';
import type { DeadLetter, OutcomeItem } from '../../src/domain/outcome.ts';
import type { Delivery } from '../../streams/nats/contract.ts';

/** Why no change can be made of a delivery. */
export const UNREADABLE = {
  class: 'invalid',
  code: 'unreadable-change',
  message: 'the message in CHANGES holds no change event that can be read',
} as const;
export const EVENT_GONE = {
  class: 'not_found',
  code: 'event-gone',
  message:
    'the event was too large for one message, and its parts are no longer in CHANGES (removed by hand, or by the limits of the stream); edit the asset again in the catalogue, or publish the event again',
} as const;
export const KILLED = {
  class: 'invalid',
  code: 'killed-its-owners',
  message:
    'three processes in turn ended while each of them handled this change and nothing else; please report the change that stands in the dead letter',
} as const;
export type Unreadable = typeof UNREADABLE | typeof EVENT_GONE | typeof KILLED;
/** Longest part of a body that is kept, in UTF-16 units. */
const MAX_BODY = 65_536;

/** The outcome of a delivery in which no change event can be read. */
export function unreadableItem(delivery: Delivery, failure: Unreadable): OutcomeItem {
  return {
    sequence: delivery.sequence,
    eventId: eventIdOf(delivery, failure),
    object: '',
    status: 'failed',
    reason: failure.message,
    failure,
  };
}

/** Of an event that is gone the reference to it is left; what was given up is not read again. */
function eventIdOf(delivery: Delivery, failure: Unreadable): string {
  if (failure === KILLED) return delivery.headers['Nats-Msg-Id'] ?? '';
  return failure === EVENT_GONE ? (parseLargeEvent(delivery.data)?.eventId ?? '') : '';
}

/** Its dead letter; the same delivery always has the same id. */
export function unreadableLetter(target: string, delivery: Delivery, failure: Unreadable, now: number): DeadLetter {
  const text = Buffer.from(delivery.data).toString('utf8');
  const eventId = eventIdOf(delivery, failure);
  return {
    v: 1,
    id: `${target.replaceAll(/[^A-Za-z0-9]/g, '_')}-${delivery.sequence}`,
    target,
    sequence: delivery.sequence,
    ...(eventId === '' ? {} : { eventId }),
    at: now,
    failure,
    body: text.slice(0, MAX_BODY).toWellFormed(),
    ...(text.length > MAX_BODY ? { bodyCut: true } : {}),
  };
}

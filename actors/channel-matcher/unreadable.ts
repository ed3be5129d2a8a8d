import type { DeadLetter, OutcomeItem } from '../../src/domain/outcome.ts';
import type { Delivery } from '../../streams/nats/contract.ts';

const UNREADABLE = {
  class: 'invalid',
  code: 'unreadable-change',
  message: 'the message in CHANGES holds no change event that can be read',
} as const;
/** Longest part of a body that is kept, in UTF-16 units. */
const MAX_BODY = 65_536;

/** The outcome of a delivery in which no change event can be read. */
export function unreadableItem(delivery: Delivery): OutcomeItem {
  return {
    sequence: delivery.sequence,
    eventId: '',
    object: '',
    status: 'failed',
    reason: UNREADABLE.message,
    failure: UNREADABLE,
  };
}

/** Its dead letter; the same delivery always has the same id. */
export function unreadableLetter(target: string, delivery: Delivery, now: number): DeadLetter {
  const text = Buffer.from(delivery.data).toString('utf8');
  return {
    v: 1,
    id: `${target.replaceAll(/[^A-Za-z0-9]/g, '_')}-${delivery.sequence}`,
    target,
    sequence: delivery.sequence,
    at: now,
    failure: UNREADABLE,
    body: text.slice(0, MAX_BODY).toWellFormed(),
    ...(text.length > MAX_BODY ? { bodyCut: true } : {}),
  };
}

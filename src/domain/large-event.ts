import { z } from 'zod';
import { CHANGE_HEADERS } from './change-headers.ts';
import { readJson } from './read-json.ts';
import { type StoredObject, storedObject } from './stored-object.ts';

const largeEvent = z.object({ v: z.literal(1), eventId: z.string(), object: storedObject });

/** What stands in CHANGES for an event above the server's `max_payload`; its body lies in parts in the same stream. */
export interface LargeEvent {
  readonly eventId: string;
  readonly object: StoredObject;
}

/** Event ids come from outside and may be as long as anything. */
const MAX_ID = 256;

/** The reference as a message body. Nothing in it looks like an event, so that who does not know it cannot take it for one. */
export function encodeLargeEvent({ eventId, object }: LargeEvent): Uint8Array {
  return Buffer.from(JSON.stringify({ v: 1, eventId: eventId.slice(0, MAX_ID), object }));
}

/** Whether a message of CHANGES only refers to its event. */
export function isLargeEvent(headers: Readonly<Record<string, string>>): boolean {
  return headers[CHANGE_HEADERS.large] === '1';
}

/** Undefined when the body is no reference. */
export function parseLargeEvent(body: Uint8Array): LargeEvent | undefined {
  const read = readJson(largeEvent, Buffer.from(body).toString('utf8'));
  return read === undefined ? undefined : { eventId: read.eventId, object: read.object };
}

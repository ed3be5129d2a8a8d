import { createHash } from 'node:crypto';
import type { Publisher } from '../../streams/nats/contract.ts';
import { putObject } from '../../streams/nats/object-store.ts';
import { CHANGE_HEADERS } from '../domain/change-headers.ts';
import { encodeLargeEvent } from '../domain/large-event.ts';
import { changePartsSubject } from '../domain/subjects.ts';

/** Bytes of a message kept free for its headers: what is larger than the rest goes in parts. */
export const HEADER_ROOM = 4_096;

/**
 * Stores an event that is too large for one message in parts, and gives the body that is published in its place. The same event sent
 * again is stored once. Errors: `StreamError`.
 */
export async function storeLargeEvent(
  publisher: Publisher,
  eventId: string,
  data: Uint8Array,
  settings: { readonly maxPayload: number; readonly giveUpAfterMs: number },
): Promise<Uint8Array> {
  const hash = createHash('sha256').update(data).digest('hex').slice(0, 32);
  const object = await putObject(publisher, {
    ...settings,
    subject: changePartsSubject(hash),
    data,
    id: `part-${hash}`,
    // A reader of all of CHANGES passes over it.
    headers: { [CHANGE_HEADERS.noTarget]: '1' },
  });
  return encodeLargeEvent({ eventId, object });
}

import type { NatsLink } from '../../streams/nats/connection.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import { getObject } from '../../streams/nats/object-store.ts';
import { isLargeEvent, parseLargeEvent } from '../domain/large-event.ts';
import { STREAMS } from '../domain/subjects.ts';

/** The event of a message in CHANGES, of a large one the whole; undefined when its parts are gone. Errors: `StreamError`. */
export async function changeBody(link: NatsLink, message: StoredMessage): Promise<Uint8Array | undefined> {
  if (!isLargeEvent(message.headers)) return message.data;
  const event = parseLargeEvent(message.data);
  return event === undefined ? undefined : getObject(link, STREAMS.changes, event.object);
}

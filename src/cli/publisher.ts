import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';

/** A publisher for a command: a person waits, so it gives up sooner than the service does. */
export function commandPublisher(link: NatsLink): Publisher {
  return createPublisher(link, { maxMessages: 128, maxBytes: 8 * 1024 * 1024, giveUpAfterMs: 10_000 });
}

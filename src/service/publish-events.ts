import type { Publisher } from '../../streams/nats/contract.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { encodeToken } from '../domain/subjects.ts';
import { messageIdOf } from '../intake/message-id.ts';
import type { EventToPublish } from './read-events.ts';

/** What became of one event. `duplicate`: the stream has seen its id shortly before. */
export interface PublishedEvent {
  readonly eventId: string;
  readonly asset?: string;
  readonly result: 'published' | 'duplicate' | 'passed over';
  readonly subject?: string;
  readonly sequence?: number;
  readonly reason?: string;
}

/** Publishes events raw on `events.<service>`, one message each, in the order of the file. Throws `StreamError`. */
export async function publishEvents(
  publisher: Publisher,
  events: readonly EventToPublish[],
): Promise<readonly PublishedEvent[]> {
  return Promise.all(
    events.map(async (event): Promise<PublishedEvent> => {
      const { eventId } = event;
      if (event.kind === 'pass') return { eventId, result: 'passed over', reason: event.reason };
      const { asset, service, raw } = event;
      const subject = rawEventSubject(service);
      try {
        const { sequence, duplicate } = await publisher.publish(subject, JSON.stringify(raw), {
          msgId: messageIdOf(eventId),
        });
        return { eventId, asset, result: duplicate ? 'duplicate' : 'published', subject, sequence };
      } catch (error) {
        if (!(error instanceof StreamError) || error.code !== 'too-large') throw error;
        const hint = 'send it through the webhook, which takes out what is not needed, or raise max_payload';
        throw new StreamError('too-large', `${error.message}: event ${eventId}; ${hint}`, { cause: error });
      }
    }),
  );
}

/** `events.<service>`: where raw events of a service go. */
export function rawEventSubject(service: string): string {
  return `events.${encodeToken(service)}`;
}

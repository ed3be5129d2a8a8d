import { exhaustMap, filter } from 'rxjs';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { createPullSource } from '../../streams/nats/pull-source.ts';
import { ensureConsumer } from '../../streams/nats/topology.ts';
import { RAW_EVENTS, type RawEvents, type RawEventsOptions, startRawEvents } from './raw-events.ts';

/** Raw events in hand at once; the server's largest message always fits. */
const LIMITS = { messages: 64, bytes: 8 * 1024 * 1024 };

/**
 * Starts to read `events.>` on a connection. A consumer that somebody deletes is made again; it then reads the stream from its
 * beginning, which the event ids make harmless.
 */
export async function openRawEvents(link: NatsLink, options: Omit<RawEventsOptions, 'source'>): Promise<RawEvents> {
  await ensureConsumer(link, RAW_EVENTS);
  const source = createPullSource(link, { stream: RAW_EVENTS.stream, durable: RAW_EVENTS.durable, limits: LIMITS });
  const repair = source.events
    .pipe(
      filter((event) => event.type === 'consumer-missing'),
      exhaustMap(async () => {
        options.log.warn({ ...RAW_EVENTS }, 'the consumer of raw events is gone and is made again');
        await ensureConsumer(link, RAW_EVENTS).catch((error: unknown) => {
          options.log.error({ err: error }, 'the consumer of raw events could not be made again');
        });
      }),
    )
    .subscribe();
  const reader = startRawEvents({ ...options, source });
  return {
    stop: async () => {
      repair.unsubscribe();
      await reader.stop();
    },
  };
}

import { exhaustMap, filter } from 'rxjs';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { createPullSource } from '../../streams/nats/pull-source.ts';
import { ensureConsumer } from '../../streams/nats/topology.ts';
import { RAW_EVENTS, type RawEvents, type RawEventsOptions, startRawEvents } from './raw-events.ts';

/** Raw events in hand at once; the server's largest message always fits. */
const LIMITS = { messages: 64, bytes: 8 * 1024 * 1024 };

export interface OpenRawEvents extends Omit<RawEventsOptions, 'source'> {
  /** Time after which an event that was not acknowledged is delivered again, milliseconds; default 30 s. */
  readonly ackWaitMs?: number;
}

/**
 * Starts to read `events.>` on a connection. A consumer that somebody deletes is made again; it then reads the stream from its
 * beginning, which the event ids make harmless.
 */
export async function openRawEvents(link: NatsLink, options: OpenRawEvents): Promise<RawEvents> {
  const { ackWaitMs } = options;
  const consumer = { ...RAW_EVENTS, ...(ackWaitMs === undefined ? {} : { ackWaitMs }) };
  await ensureConsumer(link, consumer);
  const source = createPullSource(link, {
    stream: RAW_EVENTS.stream,
    durable: RAW_EVENTS.durable,
    limits: LIMITS,
    ...(ackWaitMs === undefined ? {} : { ackWaitMs }),
  });
  const repair = source.events
    .pipe(
      filter((event) => event.type === 'consumer-missing'),
      exhaustMap(async () => {
        options.log.warn({ ...RAW_EVENTS }, 'the consumer of raw events is gone and is made again');
        await ensureConsumer(link, consumer).catch((error: unknown) => {
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

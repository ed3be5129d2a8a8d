import { catchError, EMPTY, from, mergeMap, type Subscription } from 'rxjs';
import type { Delivery, MessageHeaders, PullSource } from '../../streams/nats/contract.ts';
import { STREAMS } from '../domain/subjects.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Intake } from './intake.ts';

/** The durable consumer that all replicas share; which of them takes a raw event does not matter, since ranks decide the order. */
export const RAW_EVENTS = {
  stream: STREAMS.events,
  durable: 'backflow-intake',
  filters: ['events.>'],
} as const;

/** Pause before a raw event that could not be stored is tried again, milliseconds. */
const RETRY_MS = 2_000;

export interface RawEventsOptions {
  readonly source: PullSource;
  readonly intake: Intake;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly retryMs?: number;
}

/** A running reader; `stop` takes no new events and resolves when those in hand are stored or given back. */
export interface RawEvents {
  stop(): Promise<void>;
}

/**
 * Reads what any publisher put on `events.>` and takes it into CHANGES. A raw event is acked only after everything in it is stored,
 * so a crash repeats it, and the event ids make the repetition harmless. The credits of the source bound how many are in hand.
 */
export function startRawEvents(options: RawEventsOptions): RawEvents {
  const inHand = new Set<Promise<void>>();
  const subscription: Subscription = options.source.deliveries
    .pipe(
      mergeMap((delivery) => {
        const done = take(options, delivery).finally(() => inHand.delete(done));
        inHand.add(done);
        return from(done).pipe(catchError(() => EMPTY));
      }),
    )
    .subscribe({ error: (error: unknown) => options.log.error({ err: error }, 'reading raw events ended') });
  return {
    stop: async () => {
      subscription.unsubscribe();
      await options.source.stopped();
      await Promise.allSettled(inHand);
    },
  };
}

async function take(options: RawEventsOptions, delivery: Delivery): Promise<void> {
  const { intake, metrics, log } = options;
  try {
    const report = await intake.ingest({
      body: delivery.data,
      source: 'events',
      headers: lowerCase(delivery.headers),
      id: String(delivery.sequence),
    });
    metrics.intakeAnswered('events', report.stored ? 'accepted' : 'unavailable');
    if (report.stored) delivery.ack();
    else delivery.nak(options.retryMs ?? RETRY_MS);
  } catch (error) {
    metrics.intakeAnswered('events', 'error');
    log.error({ err: error, sequence: delivery.sequence }, 'a raw event could not be handled and will be tried again');
    delivery.nak(options.retryMs ?? RETRY_MS);
  }
}

/** NATS tells case apart, publishers do not agree on it; the trace context of all of them is wanted. */
function lowerCase(headers: MessageHeaders): MessageHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

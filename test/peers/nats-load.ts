import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { PullEvent } from '../../streams/nats/contract.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { createPullSource } from '../../streams/nats/pull-source.ts';
import { ensureConsumer } from '../../streams/nats/topology.ts';
import { until } from '../support/until.ts';

interface Arrival {
  readonly sequence: number;
  readonly id: number;
  readonly deliveryCount: number;
  readonly at: number;
}

/** A steady stream of changes through one consumer, as a lane reads it, while somebody breaks the cluster. */
export interface Load {
  readonly arrivals: readonly Arrival[];
  readonly events: readonly PullEvent[];
  /** Receipts: id of the message and where it was stored. */
  readonly stored: ReadonlyMap<number, number>;
  /**
   * Does something to the cluster and waits until a change that was published afterwards has arrived. The answer is the longest
   * time between two arrivals meanwhile, in milliseconds.
   */
  gapOf(fault: () => Promise<unknown>): Promise<number>;
  /** Ends the publishing and waits until everything has been delivered and acknowledged. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const EVERY_MS = 5;
const ACK_WAIT_MS = 6_000;

export async function startLoad(publishLink: NatsLink, pullLink: NatsLink, durable: string): Promise<Load> {
  const stream = 'CHANGES';
  await ensureConsumer(pullLink, { stream, durable, filters: [`change.${durable}.>`], ackWaitMs: ACK_WAIT_MS });
  const publisher = createPublisher(publishLink, {
    maxMessages: 512,
    maxBytes: 8_000_000,
    giveUpAfterMs: Number.POSITIVE_INFINITY,
  });
  const limits = { messages: 200, bytes: 4_000_000 };
  const source = createPullSource(pullLink, { stream, durable, limits, ackWaitMs: ACK_WAIT_MS });
  const arrivals: Arrival[] = [];
  const events: PullEvent[] = [];
  const stored = new Map<number, number>();
  const unexpected: unknown[] = [];
  source.events.subscribe((event) => events.push(event));
  const reading = source.deliveries.subscribe((delivery) => {
    const id = Number(Buffer.from(delivery.data).toString('utf8').trim());
    const { sequence, deliveryCount } = delivery;
    arrivals.push({ sequence, id, deliveryCount, at: performance.now() });
    delivery.ack();
  });

  let published = 0;
  let publishing = true;
  const pump = (async () => {
    while (publishing) {
      const id = published;
      published += 1;
      publisher.publish(`change.${durable}.${id % 64}.table.k${id % 200}`, String(id).padEnd(600)).then(
        ({ sequence }) => stored.set(id, sequence),
        (error: unknown) => unexpected.push(error),
      );
      await sleep(EVERY_MS);
    }
  })();

  const gapOf = async (fault: () => Promise<unknown>): Promise<number> => {
    await until(() => arrivals.length > 0);
    const from = arrivals.length;
    await fault();
    const first = published;
    await until(() => arrivals.slice(from).some(({ id }) => id >= first), 60_000);
    const times = arrivals.slice(Math.max(0, from - 1)).map(({ at }) => at);
    return Math.round(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))));
  };
  const end = async (): Promise<void> => {
    publishing = false;
    await pump;
  };
  return {
    arrivals,
    events,
    stored,
    gapOf,
    settle: async () => {
      await end();
      await publisher.settle();
      if (unexpected.length > 0) throw unexpected[0];
      await until(async () => {
        const info = await pullLink.jsm.consumers.info(stream, durable).catch(() => undefined);
        return info !== undefined && info.num_pending === 0 && info.num_ack_pending === 0;
      }, 60_000);
    },
    stop: async () => {
      await end();
      reading.unsubscribe();
      await source.stopped();
    },
  };
}

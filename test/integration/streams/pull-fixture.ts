import type { Subscription } from 'rxjs';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Delivery, PullEvent, PullSource, PullSourceOptions } from '../../../streams/nats/contract.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { createPullSource } from '../../../streams/nats/pull-source.ts';
import { ensureConsumer } from '../../../streams/nats/topology.ts';
import { type Fixture, startFixture } from './fixture.ts';

/** A server with CHANGES and, for each test, a service whose changes a consumer of its own reads. */
export interface PullFixture {
  readonly fixture: Fixture;
  readonly durable: string;
  readonly service: string;
  /** Publishes changes of the service, each of another asset. */
  publish(amount: number, body?: (index: number) => string | Uint8Array): Promise<void>;
  /** A source of the service's changes with 20 credits. */
  open(options?: Partial<PullSourceOptions>): PullSource;
  info(): ReturnType<Fixture['link']['jsm']['consumers']['info']>;
}

/** Sets it up around the tests of the calling file; to be used within them. */
export function pullFixture(): PullFixture {
  let fixture: Fixture;
  let durable: string;
  let service: string;
  let count = 0;

  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    count += 1;
    service = `s${count}`;
    durable = `lane-${count}`;
    await ensureConsumer(fixture.link, { stream: 'CHANGES', durable, filters: [`change.${service}.>`] });
  });

  return {
    get fixture() {
      return fixture;
    },
    get durable() {
      return durable;
    },
    get service() {
      return service;
    },
    async publish(amount, body = String) {
      const publisher = createPublisher(fixture.link, { maxMessages: 256, maxBytes: 8_000_000 });
      for (let i = 0; i < amount; i += 1) void publisher.publish(`change.${service}.0.table.k${i}`, body(i));
      await publisher.settle();
    },
    open: (options = {}) =>
      createPullSource(fixture.link, {
        stream: 'CHANGES',
        durable,
        limits: { messages: 20, bytes: 1_000_000 },
        ...options,
      }),
    info: () => fixture.link.jsm.consumers.info('CHANGES', durable),
  };
}

/** A subscriber that keeps everything and acknowledges nothing unless told. */
export function collect(source: PullSource): {
  readonly got: Delivery[];
  readonly events: PullEvent[];
  readonly subscription: Subscription;
} {
  const got: Delivery[] = [];
  const events: PullEvent[] = [];
  source.events.subscribe((event) => events.push(event));
  const subscription = source.deliveries.subscribe((delivery) => got.push(delivery));
  return { got, events, subscription };
}

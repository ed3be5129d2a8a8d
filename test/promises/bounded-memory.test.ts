import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeSubject } from '../../src/domain/subjects.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { tableEvent } from '../support/table-event.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';

/** What the changes in flight of all lanes of a replica may take together. */
const IN_FLIGHT_BYTES = 32 * 1024 * 1024;
const LANE = 'lane-pg_sales-0of1';

describe('a backlog in front of a target that is away', () => {
  let nats: NatsServer;
  let link: NatsLink;
  let replica: TestService;

  beforeEach(async () => {
    process.env.BOUNDED_PASSWORD = 'unused';
    nats = await startNatsServer();
    link = await connectNats({ servers: nats.url, name: 'test' });
    replica = await startTestService({
      natsUrl: nats.url,
      // Nobody listens on this port.
      config: `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "127.0.0.1:1", username: nobody, authType: { password: "\${BOUNDED_PASSWORD}" }, database: shop }
channels:
  - { name: docs, update: { descriptions: true, tags: false, owners: false } }
`,
    });
    await replica.lanes();
  });

  afterEach(async () => {
    await replica?.stop();
    await link?.close();
    await nats?.stop();
  });

  it.each([
    ['many small changes', 6_000, 500],
    ['changes of 60 KB', 1_200, 60_000],
  ])(
    'P3: of %s only so many are taken in hand as the credits allow, in messages and in bytes',
    async (_, count, size) => {
      const publisher = createPublisher(link, { maxMessages: 256, maxBytes: 8 * 1024 * 1024 });
      let bytes = 0;
      for (let i = 0; i < count; i += 1) {
        const path = ['pg_sales', 'shop', 'public', `t${i}`] as const;
        const body = JSON.stringify(tableEvent({ path, entity: { sourceHash: 'x'.repeat(size) } }));
        bytes += body.length;
        void publisher.publish(changeSubject('pg_sales', { entityType: 'table', fqn: path.join('.') }), body);
      }
      await publisher.settle();
      const info = () => link.jsm.consumers.info('CHANGES', LANE);
      let taken = 0;
      let still = 0;
      await until(async () => {
        const now = await info();
        expect(now.num_ack_pending).toBeLessThanOrEqual(now.config.max_ack_pending ?? 0);
        expect(now.num_ack_pending * (bytes / count)).toBeLessThanOrEqual(IN_FLIGHT_BYTES);
        still = now.num_ack_pending === taken ? still + 1 : 0;
        taken = now.num_ack_pending;
        return taken > 0 && still > 25;
      }, 60_000);
      expect(taken).toBeLessThan(count);
      expect((await info()).num_pending).toBeGreaterThan(0);
      expect(await replica.runs()).toEqual([]);
    },
    120_000,
  );
});

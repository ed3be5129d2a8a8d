import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDeadLetters } from '../../src/service/history.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const TABLES = 10;

describe('a real PostgreSQL that lets its account in no more', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let admin: pg.Client;
  let replica: TestService;

  beforeAll(async () => {
    [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
    await createTables(postgres, TABLES);
    admin = new pg.Client({ connectionString: postgres.url('shop') });
    admin.on('error', () => undefined);
    await admin.connect();
    await admin.query("CREATE ROLE writer LOGIN PASSWORD 'throttled' CONNECTION LIMIT 0");
    for (let i = 0; i < TABLES; i += 1) await admin.query(`ALTER TABLE t${i} OWNER TO writer`);
    process.env.BACKFLOW_TEST_THROTTLED = 'throttled';
    const config = `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "127.0.0.1:${postgres.port}", username: writer, authType: { password: "\${BACKFLOW_TEST_THROTTLED}" }, database: shop }
    rateLimit: { perSecond: 100 }
channels:
  - { name: docs, update: { descriptions: true } }
`;
    replica = await startTestService({ natsUrl: nats.url, config });
    await replica.lanes();
  });

  afterAll(async () => {
    await replica?.stop();
    await admin?.end();
    await Promise.all([nats?.stop(), postgres?.stop()]);
  });

  it('is asked for less, loses nothing, and is written to again at a rate that rises by itself', async () => {
    const events = Array.from({ length: TABLES }, (_, i) =>
      descriptionEvent(['pg_sales', 'shop', 'public', `t${i}`], `text ${i}`),
    );
    for (const { body } of events) await replica.post(body);
    const limit = async () => (await replica.service.lanes.rows())[0]?.rateLimit;
    await until(async () => ((await limit())?.perSecond ?? 100) < 100);
    expect(await limit()).toMatchObject({ configured: 100 });
    expect(await readDeadLetters(replica.service.link, { limit: 10 })).toEqual([]);
    const metrics = await (await fetch(`${replica.service.url}/metrics`)).text();
    expect(metrics).toMatch(/backflow_throttled_total\{target="pg_sales"\} [1-9]/);
    expect(metrics).toMatch(/backflow_rate_limit_per_second\{target="pg_sales",partition="0"\} \d/);

    await admin.query('ALTER ROLE writer CONNECTION LIMIT -1');
    const runs = await replica.outcomes(
      events.map(({ id }) => id),
      60_000,
    );
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied']));
    const lowered = (await limit())?.perSecond ?? 0;
    await until(async () => ((await limit())?.perSecond ?? 0) > lowered, 30_000);
  });
});

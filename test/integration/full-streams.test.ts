import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readDeadLetters } from '../../src/service/history.ts';
import { StreamWatch } from '../../src/service/stream-watch.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, docsConfig } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const TABLES = 40;

describe('streams that are full', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let link: NatsLink;
  let shop: pg.Client;
  let service: TestService | undefined;

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, TABLES);
    shop = new pg.Client({ connectionString: postgres.url('shop') });
    await shop.connect();
  });

  beforeEach(async () => {
    nats = await startNatsServer();
    link = await connectNats({ servers: nats.url, name: 'full' });
  });

  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await link.close();
    await nats.stop();
  });

  afterAll(async () => {
    await shop?.end();
    await postgres?.stop();
  });

  async function start(): Promise<TestService> {
    service = await startTestService({ natsUrl: nats.url, config: docsConfig(postgres) });
    await service.lanes();
    return service;
  }

  const eventFor = (table: string, text: string) => descriptionEvent(['pg_sales', 'shop', 'public', table], text);

  const commentOf = async (table: string): Promise<string | null> => {
    const { rows } = await shop.query<{ text: string | null }>(
      "SELECT obj_description(to_regclass($1), 'pg_class') AS text",
      [`public.${table}`],
    );
    return rows[0]?.text ?? null;
  };

  /** What a watch says about the streams as they stand. */
  async function watched(): Promise<{ readonly lines: string; readonly metrics: string; readonly summary: string }> {
    const lines: string[] = [];
    const metrics = createMetrics();
    const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
    const watch = new StreamWatch({ link, metrics, log });
    await watch.look();
    watch.stop();
    return { lines: lines.join(''), metrics: await metrics.text(), summary: watch.summary() };
  }

  const room = (stream: string, bytes: number) => link.jsm.streams.update(stream, { max_bytes: bytes });

  it('P1 OUTCOMES: the lane waits, says so, and goes on when there is room; every change ends once', async () => {
    await ensureTopology(link, { outcomesMaxBytes: 20_000 });
    const replica = await start();
    expect(await watched()).toMatchObject({ lines: '', summary: 'ok' });
    const events = Array.from({ length: TABLES }, (_, i) => eventFor(`t${i}`, `full ${i}`));
    for (const { body } of events) await replica.post(body);
    await until(async () => (await replica.service.lanes.rows())[0]?.lastError?.includes('maximum bytes') === true);

    const { lines, metrics, summary } = await watched();
    expect(lines).toMatch(/"stream":"OUTCOMES".*OUTCOMES is (nearly )?full.*lanes wait/);
    expect(metrics).toMatch(/backflow_stream_fill_ratio\{stream="OUTCOMES"} (1|0\.[789]\d*)\n/);
    expect(summary).toMatch(/^OUTCOMES is \d+ % full$/);
    const recorded = (await replica.runs()).length;
    expect(recorded).toBeLessThan(TABLES);
    const { num_ack_pending, num_pending } = await link.jsm.consumers.info('CHANGES', 'lane-pg_sales-0of1');
    expect(num_ack_pending + num_pending).toBe(TABLES - recorded);

    await room('OUTCOMES', 10_000_000);
    const runs = await replica.outcomes(events.map(({ id }) => id));
    expect(runs).toHaveLength(TABLES);
    expect(runs.every(({ status }) => status === 'applied')).toBe(true);
    for (let i = 0; i < TABLES; i += 1) expect(await commentOf(`t${i}`)).toBe(`full ${i}`);
    expect((await watched()).summary).toBe('ok');
  });

  it('P1 P4 DEADLETTERS: what fails waits for its letter, and nothing else does', async () => {
    await ensureTopology(link, { deadLettersMaxBytes: 1_000 });
    const replica = await start();
    const poison = eventFor('no_such_table', 'x'.repeat(2_000));
    const good = Array.from({ length: 5 }, (_, i) => eventFor(`t${i}`, `beside ${i}`));
    for (const { body } of [poison, ...good]) await replica.post(body);
    const runs = await replica.outcomes(good.map(({ id }) => id));
    expect(runs.every(({ status }) => status === 'applied')).toBe(true);
    expect((await replica.runs()).some(({ eventId }) => eventId === poison.id)).toBe(false);

    await room('DEADLETTERS', 1_000_000);
    const [failed, ...more] = await replica.outcomes([poison.id]);
    expect(more).toEqual([]);
    expect(failed).toMatchObject({ status: 'failed', failure: { class: 'not_found' } });
    expect(await readDeadLetters(link, { limit: 10 })).toHaveLength(1);
  });

  it('OBJECTS: an outcome with a long value waits until the value can be stored', async () => {
    await ensureTopology(link, { objectsMaxBytes: 2_000 });
    const replica = await start();
    const [long, short] = [eventFor('t0', 'long '.repeat(2_000)), eventFor('t1', 'short')];
    await replica.post(long.body);
    await replica.post(short.body);
    await replica.outcomes([short.id]);
    await until(async () => (await replica.service.lanes.rows())[0]?.lastError?.includes('object.values') === true);
    expect((await replica.runs()).some(({ eventId }) => eventId === long.id)).toBe(false);

    await room('OBJECTS', 1_000_000);
    const [run] = await replica.outcomes([long.id]);
    expect(run).toMatchObject({ status: 'applied', after: expect.stringMatching(/… \(cut; 10000 characters/) });
    expect(await commentOf('t0')).toBe('long '.repeat(2_000));
  });
});

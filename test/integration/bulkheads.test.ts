import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readDeadLetters } from '../../src/service/history.ts';
import { freePort } from '../support/free-port.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, docsConfigOf, postgresTarget, tableComments } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const TABLES = 120;

describe('bulkheads between targets, and between the assets of one', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let shop: pg.Client;
  let replica: TestService;

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, TABLES);
    await createTables(postgres, TABLES, 'archive');
    shop = new pg.Client({ connectionString: postgres.url('shop') });
    shop.on('error', () => undefined);
    await shop.connect();
  });

  beforeEach(async () => {
    nats = await startNatsServer();
    const slowly = ['rateLimit: { perSecond: 1, burst: 1, batch: 1 }'];
    const config = docsConfigOf([
      postgresTarget(postgres, { service: 'healthy' }),
      postgresTarget(postgres, { service: 'slow', database: 'archive', more: slowly }),
      postgresTarget(postgres, { service: 'dead', port: await freePort() }),
    ]);
    replica = await startTestService({ natsUrl: nats.url, config });
    await replica.lanes();
  });

  afterEach(async () => {
    await replica?.stop();
    await nats?.stop();
  });

  afterAll(async () => {
    await shop?.end();
    await postgres?.stop();
  });

  /** One edit of each of so many tables of a service. */
  const edits = (service: string, count: number, text: string) =>
    Array.from({ length: count }, (_, i) =>
      descriptionEvent([service, service === 'slow' ? 'archive' : 'shop', 'public', `t${i}`], `${text} ${i}`),
    );

  const commented = async (database: string): Promise<number> =>
    [...(await tableComments(postgres, database)).values()].filter((text) => text !== null).length;

  const row = async (target: string) => (await replica.service.lanes.rows()).find((one) => one.target === target);

  it('P4 a dead target and one at a statement a second hold up no other target', async () => {
    // The backlogs come first, so that whatever is shared is theirs.
    const slow = edits('slow', TABLES, 'slow');
    await replica.postAll(slow);
    await replica.postAll(edits('dead', TABLES, 'dead'));
    await until(async () => (await row('dead'))?.target_state === 'down');
    await until(async () => (await commented('archive')) > 0);

    const healthy = edits('healthy', TABLES, 'healthy');
    await replica.postAll(healthy);
    const runs = await replica.outcomes(
      healthy.map(({ id }) => id),
      60_000,
    );
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied']));
    expect(await commented('shop')).toBe(TABLES);

    // Meanwhile the slow one has written a handful, in its own time, and the dead one nothing.
    const ofSlow = (await replica.runs()).filter(({ target }) => target === 'slow');
    expect(ofSlow.length).toBeGreaterThan(0);
    expect(ofSlow.length).toBeLessThan(TABLES / 2);
    expect((await replica.runs()).filter(({ target }) => target === 'dead')).toEqual([]);
    expect(await readDeadLetters(replica.service.link, { limit: 10 })).toEqual([]);
    expect(await row('dead')).toMatchObject({ target_state: 'down', pending: TABLES });
    expect(await row('healthy')).toMatchObject({ target_state: 'up', pending: 0, held: 0 });
  });

  it('P4 an asset whose writes fail and are tried again delays no other asset of its target', async () => {
    const locked = ['first', 'second', 'third'].map((text) =>
      descriptionEvent(['healthy', 'shop', 'public', 't0'], text),
    );
    const others = edits('healthy', 60, 'beside').slice(1);
    await shop.query('BEGIN; LOCK TABLE t0 IN ACCESS EXCLUSIVE MODE');
    try {
      await replica.postAll(locked);
      await replica.postAll(others);
      const runs = await replica.outcomes(
        others.map(({ id }) => id),
        60_000,
      );
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied']));
      const ids = new Set(locked.map(({ id }) => id));
      expect((await replica.runs()).filter(({ eventId }) => ids.has(eventId))).toEqual([]);
    } finally {
      await shop.query('ROLLBACK');
    }
    const runs = await replica.outcomes(
      locked.map(({ id }) => id),
      60_000,
    );
    expect(runs.map(({ status }) => status).sort()).toEqual(['applied', 'superseded', 'superseded']);
    const { rows } = await shop.query("SELECT obj_description('t0'::regclass) AS text");
    expect(rows).toEqual([{ text: 'third' }]);
  });

  it('P4 an asset that can never be written ends in the dead letters alone', async () => {
    const hopeless = descriptionEvent(['healthy', 'shop', 'public', 'never_there'], 'nowhere');
    const events = edits('healthy', 40, 'around');
    await replica.postAll([...events.slice(0, 20), hopeless, ...events.slice(20)]);
    const runs = await replica.outcomes([hopeless.id, ...events.map(({ id }) => id)], 60_000);
    expect(runs.filter(({ status }) => status !== 'applied').map(({ eventId, status }) => [eventId, status])).toEqual([
      [hopeless.id, 'failed'],
    ]);
    const letters = await readDeadLetters(replica.service.link, { limit: 10 });
    expect(letters.map(({ letter }) => letter.eventId)).toEqual([hopeless.id]);
  });
});

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseLargeEvent } from '../../src/domain/large-event.ts';
import { replayLetters } from '../../src/service/dead-letters.ts';
import { readDeadLetters, readRuns } from '../../src/service/history.ts';
import { wholeLetters } from '../../src/service/whole-letters.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { readOldestFirst } from '../../streams/nats/read-stream.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, docsConfig } from '../support/shop-database.ts';
import { tableEvent } from '../support/table-event.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

/** Nearly as many as PostgreSQL allows. */
const COLUMNS = 1_500;

describe('events above the size of one message, into PostgreSQL', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let shop: pg.Client;
  let service: TestService | undefined;

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, 0);
    shop = new pg.Client({ connectionString: postgres.url('shop') });
    await shop.connect();
    const columns = Array.from({ length: COLUMNS }, (_, i) => `c${i} int`).join(', ');
    await shop.query(`CREATE TABLE wide (${columns}); CREATE TABLE beside (id int); CREATE TABLE lost (id int)`);
  });

  beforeEach(async () => {
    nats = await startNatsServer();
  });

  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await nats.stop();
  });

  afterAll(async () => {
    await shop?.end();
    await postgres?.stop();
  });

  async function start(paused = false): Promise<TestService> {
    const more = ['rateLimit: { perSecond: 100000, burst: 100000 }', `paused: ${paused}`];
    service = await startTestService({ natsUrl: nats.url, config: docsConfig(postgres, { more }) });
    await service.lanes(paused ? 'paused' : 'running');
    return service;
  }

  const columnsOf = (table: string, texts: readonly string[]) =>
    texts.map((description, i) => ({
      name: `c${i}`,
      dataType: 'INT',
      fullyQualifiedName: `pg_sales.shop.public.${table}.c${i}`,
      tags: [],
      description,
    }));

  /** The creation of a table: everything that its columns carry is touched. */
  const creation = (table: string, texts: readonly string[], timestamp: number) =>
    tableEvent({
      path: ['pg_sales', 'shop', 'public', table],
      description: `table of ${texts.length}`,
      entity: { columns: columnsOf(table, texts), version: 0.1, updatedAt: timestamp },
      envelope: { eventType: 'entityCreated', changeDescription: undefined, currentVersion: 0.1, timestamp },
    });

  async function columnComments(table: string): Promise<ReadonlyMap<string, string>> {
    const { rows } = await shop.query<{ name: string; text: string }>(
      `SELECT a.attname AS name, col_description(a.attrelid, a.attnum) AS text FROM pg_attribute a
       WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND col_description(a.attrelid, a.attnum) IS NOT NULL`,
      [table],
    );
    return new Map(rows.map(({ name, text }) => [name, text]));
  }

  const texts = (columns: number, bytes: number, mark: string): readonly string[] =>
    Array.from({ length: columns }, (_, i) => `${mark} ${i} ${'text '.repeat(bytes / 5)}`);

  async function expectComments(wanted: readonly string[]): Promise<void> {
    const found = await columnComments('wide');
    const wrong = wanted.filter((text, i) => found.get(`c${i}`) !== text);
    expect(wrong.map((text) => text.slice(0, 20))).toEqual([]);
  }

  it('writes what events of 3 MB and 20 MB say, of every column, while a small change goes past', async () => {
    const replica = await start();
    const small = texts(200, 15_000, 'three');
    const three = creation('wide', small, 1_800_000_000_000);
    expect(JSON.stringify(three).length).toBeGreaterThan(3_000_000);
    await replica.post(three);
    await replica.outcomes([three.id], 60_000);
    await until(async () => (await replica.service.lanes.rows())[0]?.pending === 0);
    await expectComments(small);

    const big = texts(COLUMNS, 13_500, 'twenty');
    const twenty = creation('wide', big, 1_800_000_100_000);
    expect(JSON.stringify(twenty).length).toBeGreaterThan(20_000_000);
    const beside = descriptionEvent(['pg_sales', 'shop', 'public', 'beside'], 'beside the large one');
    await replica.post(twenty);
    await replica.post(beside.body);
    await replica.outcomes([beside.id], 60_000);
    await until(async () => (await replica.service.lanes.rows())[0]?.pending === 0, 60_000);
    await expectComments(big);

    const runs = (await replica.runs()).filter(({ eventId }) => eventId === twenty.id);
    expect(runs).toHaveLength(COLUMNS + 1);
    expect(runs.every(({ status }) => status === 'applied' || status === 'unchanged')).toBe(true);
    expect(runs.every(({ after }) => (after?.length ?? 0) < 500)).toBe(true);
    const query = { limit: 1, target: 'pg_sales', eventId: twenty.id };
    const [whole] = await readRuns(replica.service.link, { ...query, column: ['c7'], whole: true });
    expect(whole).toMatchObject({ after: big[7], statements: [expect.stringContaining(big[7] ?? '?')] });

    // The state is too large for its message by now, and a new owner has to know it.
    await replica.stop();
    const next = await start();
    const old = creation('wide', small, 1_800_000_050_000);
    await next.post(old);
    const superseded = await next.outcomes([old.id], 60_000);
    expect(new Set(superseded.map(({ status }) => status))).toEqual(new Set(['superseded']));
    const { subjects = {} } = (
      await next.service.link.jsm.streams.info('OBJECTS', { subjects_filter: 'object.state.>' })
    ).state;
    expect(Object.values(subjects)).toEqual([1]);
    await expectComments(big);
  }, 120_000);

  it('fails like any other, and is replayed whole although its letter holds only the beginning', async () => {
    const replica = await start();
    const missing = tableEvent({
      path: ['pg_sales', 'shop', 'public', 'made_later'],
      description: 'made later '.repeat(200_000),
      envelope: { timestamp: 1_800_000_000_000 },
    });
    await replica.post(missing);
    expect(await replica.outcomes([missing.id])).toMatchObject([{ status: 'failed', failure: { class: 'not_found' } }]);
    const { link } = replica.service;
    const [cut] = await readDeadLetters(link, { limit: 10 });
    expect(cut?.letter.bodyCut).toBe(true);
    await shop.query('CREATE TABLE made_later (id int)');
    const publisher = createPublisher(link, { maxMessages: 16, maxBytes: 4_000_000 });
    const letters = wholeLetters(link, cut === undefined ? [] : [cut]);
    const [replayed] = await replayLetters(publisher, link.maxPayload(), letters, Date.now, async () => undefined);
    expect(replayed).toMatchObject({ result: 'replayed', replayOf: missing.id });
    const [run] = await replica.outcomes([replayed?.eventId ?? '']);
    expect(run).toMatchObject({ status: 'applied' });
    const { rows } = await shop.query<{ length: number }>(
      "SELECT length(obj_description('made_later'::regclass)) AS length",
    );
    // As much as PostgreSQL's plan writes.
    expect(rows[0]?.length).toBeGreaterThan(65_000);
  });

  /** Takes the first part of a large event out of CHANGES. */
  async function removePart(link: NatsLink): Promise<void> {
    for await (const { headers, data } of readOldestFirst(link, {
      stream: 'CHANGES',
      filter: 'change.pg_sales.>',
      limit: 10,
    })) {
      const first = headers['backflow-large'] === '1' ? parseLargeEvent(data)?.object.sequences[0] : undefined;
      if (first !== undefined) await link.jsm.streams.deleteMessage('CHANGES', first);
    }
  }

  it('ends failed, with a dead letter that says why, when its parts are gone; the others go on', async () => {
    const replica = await start(true);
    const lost = tableEvent({ path: ['pg_sales', 'shop', 'public', 'lost'], description: 'x'.repeat(2_000_000) });
    const beside = descriptionEvent(['pg_sales', 'shop', 'public', 'beside'], 'after the lost one');
    await replica.post(lost);
    await replica.post(beside.body);
    await removePart(replica.service.link);
    await replica.stop();
    const next = await start();
    const [failed, ...more] = await next.outcomes([lost.id]);
    expect(more).toEqual([]);
    expect(failed).toMatchObject({
      status: 'failed',
      failure: { class: 'not_found', code: 'event-gone' },
      reason: expect.stringMatching(/parts are no longer in CHANGES/),
    });
    expect(await next.outcomes([beside.id])).toMatchObject([{ status: 'applied' }]);
    const [letter] = await readDeadLetters(next.service.link, { limit: 10 });
    expect(letter?.letter).toMatchObject({ target: 'pg_sales', eventId: lost.id, failure: { code: 'event-gone' } });
    await until(async () => (await next.service.lanes.rows())[0]?.pending === 0);
  });
});

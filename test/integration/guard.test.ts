import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/service/history.ts';
import { releaseChannel } from '../../src/service/release-channel.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, docsConfig } from '../support/shop-database.ts';
import { tableEvent } from '../support/table-event.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';

const TABLES = 12;

describe('the guard on clears, on a real nats-server and a real PostgreSQL', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let shop: pg.Client;
  let replicas: TestService[] = [];
  let time = Date.now() - 1_000_000;

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, TABLES);
    shop = new pg.Client({ connectionString: postgres.url('shop') });
    shop.on('error', () => undefined);
    await shop.connect();
  });

  beforeEach(async () => {
    nats = await startNatsServer();
    for (let i = 0; i < TABLES; i += 1) await shop.query(`COMMENT ON TABLE t${i} IS 'stands ${i}'`);
  });

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await nats.stop();
  });

  afterAll(async () => {
    await shop?.end();
    await postgres?.stop();
  });

  async function start(guard = 'guard: { clears: 3, per: 10m }'): Promise<TestService> {
    const replica = await startTestService({ natsUrl: nats.url, config: `${docsConfig(postgres)}    ${guard}\n` });
    replicas.push(replica);
    await replica.lanes();
    return replica;
  }

  async function stop(replica: TestService): Promise<void> {
    replicas = replicas.filter((other) => other !== replica);
    await replica.stop();
  }

  /** An edit of a table's description; without a text it is emptied. */
  function edit(table: number, text?: string) {
    time += 1_000;
    const changed = { name: 'description', oldValue: `stands ${table}` };
    const lists = { fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [], previousVersion: time - 0.1 };
    return tableEvent({
      path: ['pg_sales', 'shop', 'public', `t${table}`],
      entity: { id: `entity-${table}`, description: text, version: time, updatedAt: time, columns: [] },
      envelope: {
        timestamp: time,
        currentVersion: time,
        changeDescription:
          text === undefined
            ? { ...lists, fieldsDeleted: [changed] }
            : { ...lists, fieldsUpdated: [{ ...changed, newValue: text }] },
      },
    });
  }

  async function comments(): Promise<readonly (string | null)[]> {
    const { rows } = await shop.query<{ text: string | null }>(
      "SELECT obj_description(oid, 'pg_class') AS text FROM pg_class WHERE relname ~ '^t[0-9]+$' ORDER BY substr(relname, 2)::int",
    );
    return rows.map(({ text }) => text);
  }

  async function post(replica: TestService, path: string, body: object): Promise<unknown> {
    const response = await fetch(`${replica.service.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response.json();
  }

  const standing = async (): Promise<number> => (await comments()).filter((text) => text !== null).length;

  async function heldOf(replica: TestService): Promise<number> {
    const rows = await replica.service.lanes.rows();
    return rows.flatMap(({ heldFields }) => heldFields).reduce((sum, { fields }) => sum + fields, 0);
  }

  const statuses = (runs: readonly Run[]) => runs.map(({ status }) => status).sort();

  it('beyond the limit clears wait, other writes go on; a release writes what was held, and the count begins anew', async () => {
    const replica = await start();
    const clears = Array.from({ length: 10 }, (_, table) => edit(table));
    for (const event of clears) await replica.post(event);
    const other = edit(11, 'still written');
    await replica.post(other);
    expect(statuses(await replica.outcomes([other.id]))).toEqual(['applied']);
    await until(async () => (await heldOf(replica)) === 7);
    expect(await standing()).toBe(TABLES - 3);
    const rows = await replica.service.lanes.rows();
    expect(rows.flatMap(({ heldFields }) => heldFields)).toMatchObject([{ channel: 'docs', why: 'guard', fields: 7 }]);
    const metrics = await (await fetch(`${replica.service.url}/metrics`)).text();
    expect(metrics).toContain('backflow_guard_holding{channel="docs"} 1');
    expect(metrics).toContain('backflow_held_fields{target="pg_sales",partition="0",channel="docs",why="guard"} 7');

    expect(await post(replica, 'release', { channel: 'docs' })).toMatchObject({ channel: 'docs', wasHolding: true });
    expect(statuses(await replica.outcomes(clears.map(({ id }) => id)))).toEqual(clears.map(() => 'applied'));
    expect(await standing()).toBe(TABLES - 10);
    await until(async () => (await heldOf(replica)) === 0);

    // What was released was not counted: three more may go, the fourth waits.
    const texts = Array.from({ length: 4 }, (_, table) => edit(table, `again ${table}`));
    for (const event of texts) await replica.post(event);
    await replica.outcomes(texts.map(({ id }) => id));
    for (const table of [0, 1, 2, 3]) await replica.post(edit(table));
    await until(async () => (await heldOf(replica)) === 1);
    expect(await standing()).toBe(TABLES - 10 + 1);
  });

  it('what is held and then gets a text again is never cleared', async () => {
    const replica = await start('guard: { clears: 0 }');
    const cleared = edit(4);
    await replica.post(cleared);
    await until(async () => (await heldOf(replica)) === 1);
    const again = edit(4, 'a text again');
    await replica.post(again);
    const runs = await replica.outcomes([cleared.id, again.id]);
    expect(runs.map(({ eventId, status }) => [eventId, status])).toEqual([
      [cleared.id, 'superseded'],
      [again.id, 'applied'],
    ]);
    expect((await comments())[4]).toBe('a text again');
    expect(await heldOf(replica)).toBe(0);
  });

  it('count and hold outlast the owner of the lane, and what is released by its successor is written once', async () => {
    const first = await start();
    const early = [edit(0), edit(1)];
    for (const event of early) await first.post(event);
    await first.outcomes(early.map(({ id }) => id));
    await stop(first);
    const second = await start();
    const late = [edit(2), edit(3), edit(4)];
    for (const event of late) await second.post(event);
    await until(async () => (await heldOf(second)) === 2);
    await stop(second);
    const third = await start();
    await until(async () => (await heldOf(third)) === 2);
    expect(await standing()).toBe(TABLES - 3);
    await releaseChannel(third.service.link, 'docs', 'pg_sales');
    const runs = await third.outcomes(late.map(({ id }) => id));
    expect(statuses(runs)).toEqual(['applied', 'applied', 'applied']);
    expect(await standing()).toBe(TABLES - 5);
  });

  it('what clears nothing in the source is not counted, and a channel without guard clears at will', async () => {
    const replica = await start('guard: { clears: 1 }');
    await shop.query('COMMENT ON TABLE t0 IS NULL; COMMENT ON TABLE t1 IS NULL');
    const nothing = [edit(0), edit(1), edit(2)];
    for (const event of nothing) await replica.post(event);
    expect(statuses(await replica.outcomes(nothing.map(({ id }) => id)))).toEqual([
      'applied',
      'unchanged',
      'unchanged',
    ]);
    await stop(replica);
    const unguarded = await start('guard: off');
    const clears = Array.from({ length: 8 }, (_, table) => edit(table + 3));
    for (const event of clears) await unguarded.post(event);
    expect(statuses(await unguarded.outcomes(clears.map(({ id }) => id)))).toEqual(clears.map(() => 'applied'));
  });

  it('a paused channel writes nothing, newer values replace what waits, and everything is written once it is resumed', async () => {
    const replica = await start();
    await post(replica, 'pause', { channel: 'docs', reason: 'a wrong text' });
    await until(async () => {
      const probe = edit(9, 'probe');
      await replica.post(probe);
      return (await heldOf(replica)) > 0;
    });
    const older = edit(5, 'older');
    const newer = edit(5, 'newer');
    for (const event of [older, newer]) await replica.post(event);
    await until(async () => (await heldOf(replica)) === 2);
    expect((await comments())[5]).toBe('stands 5');
    expect(await post(replica, 'resume', { channel: 'docs' })).toMatchObject({ paused: false, wasPaused: true });
    const runs = await replica.outcomes([older.id, newer.id]);
    expect(statuses(runs)).toEqual(['applied', 'superseded']);
    expect((await comments())[5]).toBe('newer');
  });
});

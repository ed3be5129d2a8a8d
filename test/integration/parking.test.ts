import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDeadLetters } from '../../src/service/history.ts';
import { listSubjects } from '../../streams/nats/stream-subjects.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { onPostgres } from '../support/on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { docsConfig } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

/** Half of them, 10, may belong to assets that wait. */
const CREDITS = 20;
const LEASE_MS = 2_000;

describe('parking on real nats-servers and a real PostgreSQL', () => {
  let postgres: PostgresServer;
  const ending: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const end of ending.reverse()) await end();
    await postgres?.stop();
  });

  const onDatabase = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => onPostgres(postgres, 'postgres', work);

  async function start(natsUrl: string, phase = 'running'): Promise<TestService> {
    const config = docsConfig(postgres, { database: 'postgres' });
    const replica = await startTestService({ natsUrl, config, leaseMs: LEASE_MS, creditMessages: CREDITS });
    ending.push(() => replica.stop());
    await replica.lanes(phase);
    return replica;
  }

  /** Edits of each table in turn, the newest last. */
  const edits = (tables: readonly string[], rounds: number, mark: string) =>
    Array.from({ length: rounds }, (_, round) =>
      tables.map((table) => descriptionEvent(['pg_sales', 'postgres', 'public', table], `${mark} ${round}`)),
    ).flat();

  const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
  const parked = async ({ service }: TestService) => (await listSubjects(service.link, 'PARKED', 'parked.>')).length;

  async function comments(tables: readonly string[]): Promise<readonly (string | undefined)[]> {
    return onDatabase(async (client) => {
      const { rows } = await client.query<{ name: string; text: string }>(
        "SELECT relname AS name, obj_description(oid, 'pg_class') AS text FROM pg_class WHERE relname = ANY($1)",
        [tables],
      );
      return tables.map((table) => rows.find(({ name }) => name === table)?.text);
    });
  }

  // Side by side: most of the time goes by in waiting for locks.
  it.concurrent.each(['hands the lane over', 'is cut off from NATS'])(
    'P4 P1 what waits for locked tables is parked and the others go on; nothing is lost or decided twice when the owner %s',
    async (how) => {
      const name = how.slice(0, 2);
      const locked = [`${name}_locked_0`, `${name}_locked_1`];
      const free = Array.from({ length: 10 }, (_, i) => `${name}_free_${i}`);
      const nats = await startNatsServer();
      ending.push(() => nats.stop());
      const proxy = await startFaultProxy(() => ({ port: Number(new URL(nats.url).port) }));
      ending.push(() => proxy.close());
      const first = await start(`nats://127.0.0.1:${proxy.port}`);
      const waiting = edits(locked, 12, 'locked');
      const others = edits(free, 3, 'free');
      const later = edits(locked, 1, 'later');
      const owner = await onDatabase(async (client) => {
        for (const table of [...locked, ...free]) await client.query(`CREATE TABLE ${table} (id int)`);
        await client.query('BEGIN');
        await client.query(`LOCK TABLE ${locked.join(', ')} IN ACCESS EXCLUSIVE MODE`);
        // More than the credits of the lane.
        for (const { body } of waiting) await first.post(body);
        await until(async () => (await parked(first)) > 0, 60_000);
        const second = await start(nats.url, 'claiming');
        if (how === 'is cut off from NATS') proxy.set({ kind: 'black-hole' });
        else await first.stop();
        await second.lanes();
        for (const { body } of others) await second.post(body);
        const done = await second.outcomes(idsOf(others), 60_000);
        expect(done.every(({ status }) => status === 'applied' || status === 'superseded')).toBe(true);
        expect(await comments(free)).toEqual(free.map(() => 'free 2'));
        // They merge with what is parked.
        for (const { body } of later) await second.post(body);
        expect((await second.runs()).filter(({ eventId }) => idsOf(waiting).includes(eventId))).toEqual([]);
        await client.query('COMMIT');
        return second;
      });
      proxy.set({ kind: 'pass' });
      const all = [...waiting, ...others, ...later];
      const runs = await owner.outcomes(idsOf(all), 60_000);
      expect(runs.map(({ eventId }) => eventId).sort()).toEqual(idsOf(all).sort());
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied', 'superseded']));
      expect(await comments(locked)).toEqual(locked.map(() => 'later 0'));
      expect(await readDeadLetters(owner.service.link, { limit: 10 })).toEqual([]);
      await until(async () => (await parked(owner)) === 0);
      await until(async () => (await owner.service.lanes.rows()).every(({ pending, held }) => pending + held === 0));
      expect((await owner.runs()).length).toBe(all.length);
    },
    120_000,
  );
});

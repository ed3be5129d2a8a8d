import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assetKey, SLOTS, slotOf } from '../../src/domain/asset.ts';
import { formatFqn } from '../../src/domain/fqn.ts';
import { outcomeSubject, STREAMS } from '../../src/domain/subjects.ts';
import type { Run } from '../../src/service/history.ts';
import { keysTwice } from '../support/keys-twice.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { docsConfig } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';
import { serversUnderTest } from './nats-servers.ts';
import { edit, postUntilAccepted, type Shop, startShop } from './nats-service.ts';

const TABLES = 48;
const PARTITIONS = 4;
const LEASE_MS = 2_000;
const [current, system] = await serversUnderTest();

describe('a target with partitions', () => {
  let shop: Shop;
  let nats: NatsServer;
  let replicas: TestService[] = [];

  beforeAll(async () => {
    shop = await startShop(TABLES);
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await nats.stop();
  });
  afterAll(() => shop?.postgres.stop());

  async function start(binary: string | undefined, more: readonly string[]): Promise<TestService> {
    nats = await startNatsServer(binary === undefined ? {} : { binary });
    return replica(more);
  }

  async function replica(more: readonly string[]): Promise<TestService> {
    const config = docsConfig(shop.postgres, { more });
    const service = await startTestService({ natsUrl: nats.url, config, leaseMs: LEASE_MS });
    replicas.push(service);
    return service;
  }

  /** Posts every edit of every table in order and gives the ids of the events. */
  async function burst(service: TestService, edits: number, mark: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let n = 0; n < edits; n += 1) {
      const events = Array.from({ length: TABLES }, (_, i) => edit(i, `${mark} ${i}.${n}`));
      ids.push(...events.map(({ id }) => id));
      await Promise.all(events.map(({ body }) => postUntilAccepted(() => service, body)));
    }
    return ids;
  }

  const repartition = (service: TestService, partitions: number): Promise<void> =>
    service.apply(docsConfig(shop.postgres, { more: [`partitions: ${partitions}`] }));

  const keyOf = (i: number) =>
    assetKey({ entityType: 'table', fqn: formatFqn(['pg_sales', 'shop', 'public', `t${i}`]) });

  /** Waits until both run lanes, together all of them, each once. */
  async function shared(pair: readonly TestService[], partitions = PARTITIONS): Promise<void> {
    await until(async () => {
      const rows = await Promise.all(pair.map(({ service }) => service.lanes.rows()));
      const running = rows.map((of) => of.filter(({ phase }) => phase === 'running').map(({ lane }) => lane));
      const least = Math.floor(partitions / pair.length);
      return (
        running.every((lanes) => lanes.length >= least) &&
        running.flat().length === partitions &&
        new Set(running.flat()).size === partitions
      );
    }, 30_000);
  }

  const settledAt = (runs: readonly Run[]) =>
    runs.flatMap(({ timings }) => (timings === undefined ? [] : [timings.settledAt]));

  it.skipIf(current?.binary === undefined)(
    'each lane reads its own slots and nothing else; every asset ends with its newest value, each key with one outcome',
    async () => {
      const service = await start(current?.binary, [`partitions: ${PARTITIONS}`]);
      await service.lanes();
      const ids = await burst(service, 5, 'partitioned');
      const runs = await service.outcomes(ids, 60_000);
      expect(keysTwice(runs)).toEqual([]);
      expect(runs.length).toBe(ids.length);
      const found = await shop.comments();
      for (let i = 0; i < TABLES; i += 1) expect(found.get(`t${i}`)).toBe(`partitioned ${i}.4`);

      const perPartition = Array.from({ length: PARTITIONS }, () => 0);
      for (let i = 0; i < TABLES; i += 1) {
        const partition = slotOf(keyOf(i)) % PARTITIONS;
        perPartition[partition] = (perPartition[partition] ?? 0) + 5;
      }
      const seen = new Set<string>();
      for (const [partition, changes] of perPartition.entries()) {
        const name = `lane-pg_sales-${partition}of${PARTITIONS}`;
        const { config, delivered } = await service.service.link.jsm.consumers.info(STREAMS.changes, name);
        const filters = config.filter_subjects ?? [];
        const slots = filters.map((filter) => Number(/^change\.pg_sales\.(\d+)\.>$/.exec(filter)?.[1]));
        expect(slots.every((slot) => slot % PARTITIONS === partition)).toBe(true);
        for (const filter of filters) seen.add(filter);
        expect([name, delivered.consumer_seq]).toEqual([name, changes]);
      }
      expect(seen.size).toBe(SLOTS);
    },
  );

  it.skipIf(current?.binary === undefined)(
    'the rate limit holds for all lanes together, and lanes pass to another replica when theirs stops',
    async () => {
      const limit = [`partitions: ${PARTITIONS}`, 'rateLimit: { perSecond: 20, burst: 4, batch: 1 }'];
      const first = await start(current?.binary, limit);
      await first.lanes();
      const ids = await burst(first, 1, 'limited');
      const runs = await first.outcomes(ids, 60_000);
      const times = settledAt(runs);
      expect(times).toHaveLength(TABLES);
      // A slow machine only lengthens it.
      expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(((TABLES - 4) / 20) * 1_000 * 0.6);

      const second = await replica(limit);
      await shared([first, second]);
      const times2 = settledAt(await second.outcomes(await burst(second, 1, 'limited, too'), 60_000));
      expect(times2).toHaveLength(TABLES);
      expect(Math.max(...times2) - Math.min(...times2)).toBeGreaterThan(((TABLES - 4) / 20) * 1_000 * 0.6);

      replicas = replicas.filter((other) => other !== first);
      const later = await burst(second, 2, 'passed on');
      await first.stop();
      await second.lanes();
      const after = await second.outcomes([...ids, ...later], 60_000);
      expect(keysTwice(after)).toEqual([]);
      expect(after.length).toBe(ids.length + later.length);
      const found = await shop.comments();
      for (let i = 0; i < TABLES; i += 1) expect(found.get(`t${i}`)).toBe(`passed on ${i}.1`);
    },
    120_000,
  );

  it.skipIf(current?.binary === undefined)(
    'more and fewer partitions while changes flow: the lanes that follow go on where those before have left off',
    async () => {
      const first = await start(current?.binary, ['partitions: 1']);
      await first.lanes();
      const second = await replica(['partitions: 1']);
      const ids: string[] = [];
      for (const partitions of [4, 3, 1]) {
        ids.push(...(await burst(first, 2, `before ${partitions}`)));
        await repartition(first, partitions);
        ids.push(...(await burst(second, 1, `after ${partitions}`)));
        await shared([first, second], partitions);
        const names = [];
        for await (const { name } of first.service.link.jsm.consumers.list(STREAMS.changes)) names.push(name);
        expect(names.sort()).toEqual(Array.from({ length: partitions }, (_, p) => `lane-pg_sales-${p}of${partitions}`));
      }
      ids.push(...(await burst(first, 1, 'at the end')));
      const runs = await first.outcomes(ids, 60_000);
      expect(keysTwice(runs)).toEqual([]);
      expect(runs.length).toBe(ids.length);
      const found = await shop.comments();
      for (let i = 0; i < TABLES; i += 1) expect(found.get(`t${i}`)).toBe(`at the end ${i}.0`);
    },
    120_000,
  );

  it.skipIf(current?.binary === undefined)(
    'what a lane before has acknowledged is not read again, although another one was behind it',
    async () => {
      const service = await start(current?.binary, ['partitions: 2']);
      await service.lanes();
      const tables = Array.from({ length: TABLES }, (_, i) => i);
      const [behind = 0] = tables.filter((i) => slotOf(keyOf(i)) % 2 === 0);
      const ahead = tables.filter((i) => slotOf(keyOf(i)) % 2 === 1).slice(0, 5);
      const lock = new pg.Client({ connectionString: shop.postgres.url('shop') });
      await lock.connect();
      let late: string;
      try {
        await lock.query('BEGIN');
        await lock.query(`LOCK TABLE t${behind} IN ACCESS EXCLUSIVE MODE`);
        const held = edit(behind, 'behind');
        late = held.id;
        await service.post(held.body);
        const events = ahead.map((i) => edit(i, 'ahead'));
        for (const { body } of events) await service.post(body);
        await service.outcomes(events.map(({ id }) => id));
        // The lane before would know them from what is recorded: let nothing be known of them any more.
        for (const i of ahead) {
          const filter = outcomeSubject('pg_sales', keyOf(i));
          await service.service.link.jsm.streams.purge(STREAMS.outcomes, { filter });
        }
        await repartition(service, 1);
      } finally {
        await lock.end();
      }
      await service.outcomes([late], 60_000);
      const after = edit(ahead[0] ?? 0, 'after');
      await service.post(after.body);
      await service.outcomes([after.id]);
      expect((await service.runs()).map(({ eventId }) => eventId).sort()).toEqual([late, after.id].sort());
    },
  );

  it('on a server that cannot filter so, the lanes say what is missing', async () => {
    const service = await start(system?.binary, [`partitions: ${PARTITIONS}`]);
    if (service.service.link.capabilities().multiFilter) {
      await service.lanes();
      return;
    }
    await until(async () => {
      const rows = await service.service.lanes.rows();
      return rows.length === PARTITIONS && rows.every(({ lastError }) => /2\.10/.test(JSON.stringify(lastError ?? '')));
    });
    const [row] = await service.service.lanes.rows();
    expect(JSON.stringify(row?.lastError)).toMatch(/16 filters, which NATS 2\.\d.* cannot do \(2\.10 or newer can\)/);
  });

  it('on such a server a change of partitions says so, and loses nothing when it is taken back', async () => {
    const service = await start(system?.binary, ['partitions: 1']);
    if (service.service.link.capabilities().multiFilter) return;
    await service.lanes();
    await repartition(service, PARTITIONS);
    await until(async () => {
      const rows = await service.service.lanes.rows();
      return rows.length === PARTITIONS && rows.every(({ lastError }) => /2\.10 or newer/.test(lastError ?? ''));
    });
    const ids = await burst(service, 1, 'waiting');
    await repartition(service, 1);
    const runs = await service.outcomes(ids, 60_000);
    expect(runs.length).toBe(ids.length);
    expect((await shop.comments()).get('t3')).toBe('waiting 3.0');
  });
});

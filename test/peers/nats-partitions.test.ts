import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assetKey, SLOTS, slotOf } from '../../src/domain/asset.ts';
import { formatFqn } from '../../src/domain/fqn.ts';
import { STREAMS } from '../../src/domain/subjects.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';
import { serversUnderTest } from './nats-servers.ts';
import { edit, keysTwice, postUntilAccepted, type Shop, shopConfig, startShop } from './nats-service.ts';

const TABLES = 48;
const PARTITIONS = 4;
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

  async function start(binary: string | undefined, more: string): Promise<TestService> {
    nats = await startNatsServer(binary === undefined ? {} : { binary });
    return replica(more);
  }

  async function replica(more: string): Promise<TestService> {
    const service = await startTestService({ natsUrl: nats.url, config: shopConfig(shop, more) });
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

  it.skipIf(current?.binary === undefined)(
    'each lane reads its own slots and nothing else; every asset ends with its newest value, each key with one outcome',
    async () => {
      const service = await start(current?.binary, `    partitions: ${PARTITIONS}`);
      await service.lanes();
      const ids = await burst(service, 5, 'partitioned');
      const runs = await service.outcomes(ids, 60_000);
      expect(keysTwice(runs)).toEqual([]);
      expect(runs.length).toBe(ids.length);
      const found = await shop.comments();
      for (let i = 0; i < TABLES; i += 1) expect(found.get(`t${i}`)).toBe(`partitioned ${i}.4`);

      const perPartition = Array.from({ length: PARTITIONS }, () => 0);
      for (let i = 0; i < TABLES; i += 1) {
        const key = assetKey({ entityType: 'table', fqn: formatFqn(['pg_sales', 'shop', 'public', `t${i}`]) });
        const partition = slotOf(key) % PARTITIONS;
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
      const limit = `    partitions: ${PARTITIONS}\n    rateLimit: { perSecond: 20, burst: 4 }`;
      const first = await start(current?.binary, limit);
      await first.lanes();
      const ids = await burst(first, 1, 'limited');
      const runs = await first.outcomes(ids, 60_000);
      const times = runs.flatMap(({ timings }) => (timings === undefined ? [] : [timings.settledAt]));
      expect(times).toHaveLength(TABLES);
      // A slow machine only lengthens it.
      expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(((TABLES - 4) / 20) * 1_000 * 0.6);

      const second = await replica(limit);
      await second.lanes('claiming');
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
  );

  it('on a server that cannot filter so, the lanes say what is missing', async () => {
    const service = await start(system?.binary, `    partitions: ${PARTITIONS}`);
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
});

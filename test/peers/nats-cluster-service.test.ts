import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectNats } from '../../streams/nats/connection.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { keysTwice } from '../support/keys-twice.ts';
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts';
import { docsConfig } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';
import { SMALL_R3, serversUnderTest } from './nats-servers.ts';
import { edit, postUntilAccepted, type Shop, startShop } from './nats-service.ts';

const TABLES = 24;
const servers = await serversUnderTest();

describe('the whole service on a cluster', () => {
  let shop: Shop;
  let cluster: NatsCluster;
  let replicas: TestService[] = [];

  beforeAll(async () => {
    shop = await startShop(TABLES);
  });
  beforeEach(() => {
    replicas = [];
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await cluster.stop();
  });
  afterAll(() => shop?.postgres.stop());

  for (const { server, binary } of servers) {
    it.skipIf(binary === undefined)(
      `P1 P2 ${server}: nodes are killed one after another under load; nothing is lost, each key has one outcome`,
      async () => {
        cluster = await startNatsCluster(binary === undefined ? {} : { binary });
        const link = await connectNats({ servers: cluster.urls, name: 'peers' });
        const safe = link.capabilities().replicatedCompareAndSet;
        await ensureTopology(link, { ...SMALL_R3, replicas: safe ? 3 : 1 });
        await link.close();
        for (let i = 0; i < 2; i += 1) {
          replicas.push(await startTestService({ natsUrl: cluster.url, config: docsConfig(shop.postgres) }));
        }
        const [first, second] = replicas;
        if (first === undefined || second === undefined) throw new Error('no replicas');

        const ids: string[] = [];
        let posting = true;
        let round = 0;
        const pump = (async () => {
          while (posting) {
            const mark = round;
            const events = Array.from({ length: TABLES }, (_, i) => edit(i, `${server} ${i}.${mark}`));
            ids.push(...events.map(({ id }) => id));
            // Either replica may be asked; each edit of a table is newer than the one before.
            const service = () => (Math.random() < 0.5 ? first : second);
            await Promise.all(events.map(({ body }) => postUntilAccepted(service, body)));
            round += 1;
          }
        })();
        const progress = async (rounds: number): Promise<void> => {
          const from = round;
          await until(() => round >= from + rounds, 90_000);
        };
        try {
          await progress(5);
          for (const node of cluster.nodes) {
            await node.kill();
            // With one copy the streams of that node are away until it is back.
            if (safe) await progress(3);
            await node.restart();
            await cluster.healthy();
            await progress(3);
          }
        } finally {
          posting = false;
          await pump;
        }
        const runs = await first.outcomes(ids, 90_000);
        expect(keysTwice(runs)).toEqual([]);
        expect(runs.length).toBe(ids.length);
        expect(runs.filter(({ status }) => !['applied', 'superseded', 'unchanged'].includes(status))).toEqual([]);
        const found = await shop.comments();
        for (let i = 0; i < TABLES; i += 1) expect(found.get(`t${i}`)).toBe(`${server} ${i}.${round - 1}`);
        await until(async () => {
          const rows = (await Promise.all(replicas.map((replica) => replica.service.lanes.rows()))).flat();
          return rows.every((row) => row.pending === 0 && row.held === 0);
        }, 60_000);
        process.stdout.write(`${server}: ${ids.length} changes, ${runs.length} outcomes, ${round} rounds\n`);
      },
      300_000,
    );
  }
});

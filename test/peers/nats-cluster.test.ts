import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../src/domain/subjects.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { getLastMany } from '../../streams/nats/stored-messages.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { type ClusterNode, leaderOf, type NatsCluster, startNatsCluster, stepDown } from '../support/nats-cluster.ts';
import { until } from '../support/until.ts';
import { startContest } from './nats-lease-contest.ts';
import { type Load, startLoad } from './nats-load.ts';
import { SMALL_R3, serversUnderTest } from './nats-servers.ts';

const servers = await serversUnderTest();

for (const { server, binary } of servers) {
  describe.skipIf(binary === undefined)(`a cluster of three nodes, ${server}`, () => {
    let cluster: NatsCluster;
    const links: NatsLink[] = [];
    let load: Load | undefined;
    let loads = 0;
    /** Whether the server keeps compare-and-set on replicated streams. */
    let safe = false;

    beforeAll(async () => {
      cluster = await startNatsCluster(binary === undefined ? {} : { binary });
      const link = await connect();
      safe = link.capabilities().replicatedCompareAndSet;
      if (safe) {
        await ensureTopology(link, SMALL_R3);
        return;
      }
      await ensureTopology(link, { ...SMALL_R3, replicas: 1 });
      // Changes need no compare-and-set: an operator may have three copies of them on an old server, too.
      await link.jsm.streams.update('CHANGES', { num_replicas: 3 });
    });
    afterEach(async () => {
      await load?.stop();
      load = undefined;
      await cluster.healthy();
    });
    afterAll(async () => {
      await Promise.all(links.map((link) => link.close()));
      await cluster.stop();
    });

    async function connect(urls: readonly string[] = cluster.urls): Promise<NatsLink> {
      const link = await connectNats({ servers: urls, name: 'peers', reconnectWaitMs: 50 });
      links.push(link);
      return link;
    }

    async function start(
      urls = cluster.urls,
    ): Promise<{ readonly running: Load; readonly link: NatsLink; readonly durable: string }> {
      loads += 1;
      const durable = `load${loads}`;
      const link = await connect(urls);
      const running = await startLoad(await connect(urls), link, durable);
      load = running;
      return { running, link, durable };
    }

    /** Ends the load and looks at all of it. */
    async function expectWhole(running: Load): Promise<void> {
      await running.settle();
      const arrived = new Set(running.arrivals.map(({ sequence }) => sequence));
      const lost = [...running.stored].filter(([, sequence]) => !arrived.has(sequence));
      expect(lost).toEqual([]);
      const seen = new Set<number>();
      const twice: unknown[] = [];
      for (const arrival of running.arrivals) {
        if (seen.has(arrival.sequence) && arrival.deliveryCount === 1) twice.push(arrival);
        seen.add(arrival.sequence);
      }
      // What comes a second time says so, although a new leader (2.9) may not know of the first time.
      expect(twice).toEqual([]);
      // One id, one place in the stream, however often its publish was repeated.
      const places = new Map<number, Set<number>>();
      for (const { id, sequence } of running.arrivals) places.set(id, (places.get(id) ?? new Set()).add(sequence));
      expect([...places].filter(([, sequences]) => sequences.size > 1)).toEqual([]);
      expect(running.events.filter(({ type }) => type === 'refused' || type === 'consumer-missing')).toEqual([]);
    }

    function tell(what: string, ms: number, running: Load): void {
      const again = running.arrivals.filter(({ deliveryCount }) => deliveryCount > 1).length;
      process.stdout.write(`${server}: ${what}: longest gap ${ms} ms, ${again} redelivered so far\n`);
    }

    it('has every stream, bucket and consumer three times, where the server can be trusted with that', async () => {
      const { link, durable } = await start();
      const consumer = await link.jsm.consumers.info('CHANGES', durable);
      expect(consumer.cluster?.replicas).toHaveLength(2);
      const names = [
        'EVENTS',
        'CHANGES',
        'OUTCOMES',
        'DEADLETTERS',
        ...Object.values(BUCKETS).map((name) => `KV_${name}`),
      ];
      if (safe) {
        for (const name of names) {
          const info = await link.jsm.streams.info(name);
          expect([name, info.config.num_replicas, info.cluster?.replicas?.length]).toEqual([name, 3, 2]);
        }
        return;
      }
      const refused = { code: 'unsupported-by-server', message: expect.stringMatching(/3 replicas on NATS .*2\.10/) };
      await expect(ensureTopology(link, SMALL_R3)).rejects.toMatchObject(refused);
      for (const name of ['OUTCOMES', `KV_${BUCKETS.leases}`]) {
        await link.jsm.streams.update(name, { num_replicas: 3 });
        await expect(ensureTopology(link)).rejects.toMatchObject({ code: 'unsupported-by-server' });
        await link.jsm.streams.update(name, { num_replicas: 1 });
      }
      await ensureTopology(link);
    });

    it('the leader of a consumer steps down again and again: delivery resumes by itself, nothing is lost', async () => {
      const { running, link, durable } = await start();
      for (let i = 0; i < 4; i += 1) {
        tell('consumer leader steps down', await running.gapOf(() => stepDown(link, 'CHANGES', durable)), running);
      }
      await expectWhole(running);
    });

    it('the leader of the stream steps down again and again: delivery resumes by itself, nothing is lost', async () => {
      const { running, link } = await start();
      for (let i = 0; i < 4; i += 1) {
        tell('stream leader steps down', await running.gapOf(() => stepDown(link, 'CHANGES')), running);
      }
      await expectWhole(running);
    });

    it('the node that leads consumer or stream is killed and comes back: nothing is lost', async () => {
      const { running, link, durable } = await start();
      for (const who of [durable, undefined]) {
        const leader = cluster.node((await leaderOf(link, 'CHANGES', who)) ?? 'n1');
        tell(
          `node of the ${who === undefined ? 'stream' : 'consumer'} leader killed`,
          await running.gapOf(leader.kill),
          running,
        );
        tell('it comes back', await running.gapOf(leader.restart), running);
        await cluster.healthy();
      }
      await expectWhole(running);
    });

    it('all nodes are restarted in order, one after another, as in an update: nothing is lost', async () => {
      const { running } = await start();
      for (const node of cluster.nodes) {
        tell(`${node.name} stops in order`, await running.gapOf(node.shutdown), running);
        await running.gapOf(node.restart);
        await cluster.healthy();
      }
      await expectWhole(running);
    });

    it('a node that hangs with our connections to it is left for another one: nothing is lost', async () => {
      const [node] = cluster.nodes;
      if (node === undefined) throw new Error('no nodes');
      const { running } = await start([node.url]);
      try {
        const hang = async (): Promise<void> => {
          node.freeze();
          // A signal takes a moment.
          await sleep(300);
        };
        tell('the node that we are connected to hangs', await running.gapOf(hang), running);
      } finally {
        node.thaw();
      }
      await cluster.healthy();
      await expectWhole(running);
    });

    it('a compare-and-set has one winner, whatever the code that the losers are refused with', async () => {
      const bucketLinks = await Promise.all(cluster.nodes.map((node) => connect([node.url])));
      const buckets = bucketLinks.map((link) => openBucket(link, BUCKETS.leases));
      const codes = new Map<string, number>();
      let revision = 0;
      for (let round = 0; round < 40; round += 1) {
        const tries = await Promise.allSettled(
          [0, 1, 2, 3].flatMap((i) =>
            buckets.map((bucket, node) => {
              const value = `${round}.${node}.${i}`;
              return revision === 0 ? bucket.create('cas', value) : bucket.update('cas', value, revision);
            }),
          ),
        );
        const won = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
        expect(won).toHaveLength(1);
        for (const result of tries) {
          if (result.status === 'fulfilled') continue;
          expect(result.reason).toMatchObject({ code: 'conflict' });
          const code = /\((\d+)\)$/.exec(String(result.reason))?.[1] ?? '?';
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }
        revision = won[0] ?? 0;
      }
      process.stdout.write(`${server}: conflict codes ${JSON.stringify([...codes])}\n`);
    });

    it('a state that was confirmed is seen on every node, also on one that was away for a while', async () => {
      const writer = await connect();
      const stream = 'CHANGES';
      const publisher = createPublisher(writer, { maxMessages: 256, maxBytes: 8_000_000 });
      for (let round = 0; round < 3; round += 1) {
        const leader = await leaderOf(writer, stream);
        const lagging = cluster.nodes.find(
          (node) => node.name !== leader && !writer.nc.getServer().endsWith(portOf(node)),
        );
        if (lagging === undefined) throw new Error('every node leads or is written to');
        const reader = await connect([lagging.url]);
        await until(() => reader.nc.getServer().endsWith(portOf(lagging)));
        lagging.freeze();
        const subjects = Array.from({ length: 64 }, (_, i) => `change.state.${i}.table.x`);
        const newest = new Map<string, number>();
        for (let edit = 0; edit < 60; edit += 1) {
          await Promise.all(
            subjects.map(async (subject) => {
              const { sequence } = await publisher.publish(subject, 'x'.repeat(4_000));
              newest.set(subject, sequence);
            }),
          );
        }
        lagging.thaw();
        for (let reads = 0; reads < 20; reads += 1) {
          const found = await getLastMany(reader, stream, subjects);
          expect(subjects.filter((subject) => found.get(subject)?.sequence !== newest.get(subject))).toEqual([]);
        }
      }
    });

    it('P8 a lease has one owner at a time while nodes go away, and keeps what was confirmed', async () => {
      const contest = startContest(await Promise.all(cluster.nodes.map((node) => connect([node.url]))));
      try {
        await until(() => contest.valid() === 1, 30_000);
        for (const node of cluster.nodes) {
          await node.kill();
          const before = contest.taken();
          await until(() => contest.taken() > before + 1 || !safe, 60_000);
          await node.restart();
          await cluster.healthy();
          const after = contest.taken();
          await until(() => contest.taken() > after, 60_000);
        }
        // A leader that hangs believes to be one still when it wakes up: what is written to it then must not count.
        const leader = cluster.node((await leaderOf(await connect(), `KV_${BUCKETS.leases}`)) ?? 'n1');
        const before = contest.taken();
        leader.freeze();
        try {
          await sleep(3_000);
          await until(() => contest.taken() > before + 2 || !safe, 60_000);
        } finally {
          leader.thaw();
        }
        const after = contest.taken();
        await until(() => contest.taken() > after + 2, 60_000);
      } finally {
        await contest.stop();
      }
      process.stdout.write(`${server}: the lease was taken ${contest.taken()} times, ${contest.updates()} updates\n`);
      expect(contest.problems()).toEqual([]);
    });
  });
}

function portOf(node: ClusterNode): string {
  return `:${new URL(node.url).port}`;
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gap } from '../../src/domain/gap.ts';
import { parseBulkOutcomeMessage } from '../../src/domain/parse-outcome.ts';
import { BUCKETS, changeSubject } from '../../src/domain/subjects.ts';
import { readRuns } from '../../src/service/history.ts';
import { readLanes } from '../../src/service/lane-record.ts';
import { createLog, SILENT_LOG } from '../../src/telemetry/log.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { readOldestFirst } from '../../streams/nats/read-stream.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { runCli } from '../support/run-cli.ts';
import { tableEvent } from '../support/table-event.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';

/** Room for some 100 changes of about 2 KB. */
const MAX_BYTES = 200_000;
/** Lanes look at where they stand every 200 ms. */
const LEASE_MS = 400;

const config = (paused: boolean): string => `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "127.0.0.1:1", username: u, database: shop }
    paused: ${paused}
channels:
  - { name: docs, update: { descriptions: true } }
`;

describe('changes that CHANGES discards before they are settled', () => {
  let nats: NatsServer;
  let link: NatsLink;
  let publisher: Publisher;
  let service: TestService | undefined;

  beforeEach(async () => {
    nats = await startNatsServer();
    link = await connectNats({ servers: nats.url, name: 'gaps' });
    await ensureTopology(link, { changesMaxBytes: MAX_BYTES });
    publisher = createPublisher(link, { maxMessages: 64, maxBytes: 1_000_000 });
  });

  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await link.close();
    await nats.stop();
  });

  async function start(paused = true, log = SILENT_LOG): Promise<TestService> {
    service = await startTestService({ natsUrl: nats.url, config: config(paused), leaseMs: LEASE_MS, log });
    await service.lanes(paused ? 'paused' : 'running');
    return service;
  }

  async function stop(): Promise<void> {
    await service?.stop();
    service = undefined;
  }

  let published = 0;

  /** Publishes changes, by turns of the target's service and of one that it does not read. */
  async function publish(count: number, services: readonly string[] = ['pg_sales', 'other']): Promise<number> {
    let own = 0;
    for (let i = 0; i < count; i += 1) {
      const name = services[i % services.length] ?? '';
      const event = tableEvent({
        path: [name, 'shop', 'public', `t${published}`],
        envelope: { timestamp: Date.now() },
      });
      published += 1;
      const asset = { entityType: 'table', fqn: `${name}.shop.public.t${published}` } as const;
      await publisher.publish(changeSubject(name, asset), JSON.stringify(event), { msgId: event.id });
      if (name === 'pg_sales') own += 1;
    }
    return own;
  }

  /** Publishes in steps that the lane can follow with its looks. */
  async function publishSlowly(count: number, services?: readonly string[]): Promise<number> {
    let own = 0;
    for (let done = 0; done < count; done += 20) {
      own += await publish(Math.min(20, count - done), services);
      await seen();
    }
    return own;
  }

  /** Publishes changes of others until this is the first sequence that stands. */
  async function pushOut(first: number): Promise<void> {
    while ((await link.jsm.streams.info('CHANGES')).state.first_seq < first) await publish(1, ['other']);
  }

  const sightOf = async (): Promise<number> => {
    const lease = await openBucket(link, BUCKETS.leases).get('lane-pg_sales-0of1');
    return Number(/"sight":\{[^}]*"last":(\d+)/.exec(lease?.value ?? '')?.[1] ?? 0);
  };

  /** Waits until the lane has looked at everything that stands in CHANGES. */
  async function seen(): Promise<void> {
    const { last_seq: last } = (await link.jsm.streams.info('CHANGES')).state;
    await until(async () => (await sightOf()) >= last);
  }

  async function gaps(): Promise<readonly Gap[]> {
    const found: Gap[] = [];
    const reading = { stream: 'OUTCOMES', filter: 'bulk.>', limit: 1_000 };
    for await (const { data } of readOldestFirst(link, reading)) {
      const gap = parseBulkOutcomeMessage(data)?.gap;
      if (gap !== undefined) found.push(gap);
    }
    return found;
  }

  /** Not a number where the size of one is not known. */
  const lostIn = (found: readonly Gap[]): number =>
    found.reduce((sum, { changes }) => sum + (changes ?? Number.NaN), 0);

  const consumers = async (): Promise<readonly string[]> =>
    (await link.jsm.consumers.list('CHANGES').next()).map(({ name }) => name);

  /** Changes of the lane that CHANGES still has. */
  const standing = async (): Promise<number> => {
    let count = 0;
    const reading = { stream: 'CHANGES', filter: 'change.pg_sales.>', limit: 10_000 };
    for await (const _ of readOldestFirst(link, reading)) count += 1;
    return count;
  };

  const row = async () => (await readLanes(link, new Set())).find(({ target }) => target === 'pg_sales');

  it('P1 are recorded in gaps, with their number, once; the target needs to be reconciled until somebody says it was', async () => {
    const replica = await start();
    const own = await publishSlowly(240);
    await seen();
    const found = await gaps();
    const missing = lostIn(found);
    expect(missing).toBeGreaterThan(0);
    // While changes come in, a look may count one or two too few, never too many.
    expect(missing + (await standing())).toBeLessThanOrEqual(own);
    expect(missing + (await standing())).toBeGreaterThan(own - 5);
    for (const [index, gap] of found.entries()) {
      expect(gap.lastSequence).toBeGreaterThanOrEqual(gap.firstSequence);
      expect(gap.to).toBeGreaterThanOrEqual(gap.from);
      if (index > 0) expect(gap.firstSequence).toBeGreaterThan(found[index - 1]?.lastSequence ?? 0);
    }
    const runs = await readRuns(link, { limit: 100, target: 'pg_sales', status: 'failed' });
    expect(runs).toHaveLength(found.length);
    expect(runs[0]).toMatchObject({
      failure: { code: 'gap' },
      reason: expect.stringMatching(/discarded by the stream/),
    });
    expect(await row()).toMatchObject({ needsReconcile: { gaps: found.length, changes: missing } });
    const metrics = await (await fetch(`${replica.service.url}/metrics`)).text();
    expect(metrics).toContain(`backflow_gaps_total{target="pg_sales"} ${found.length}`);
    expect(metrics).toContain('backflow_lane_needs_reconcile{target="pg_sales",partition="0"} 1');
    expect(metrics).toMatch(/backflow_lane_retention_ratio\{target="pg_sales",partition="0"} (1|0\.9\d*)\n/);

    // Neither a restart nor more looks record it again.
    await stop();
    await start();
    await seen();
    expect(await gaps()).toEqual(found);
    expect(await row()).toMatchObject({ needsReconcile: { gaps: found.length } });

    const env = { NATS_URL: nats.url };
    expect((await runCli(['lanes'], { env })).stdout).toContain(`needs reconcile: ${missing} changes lost since `);
    expect((await runCli(['reconciled', 'nobody'], { env })).code).toBe(2);
    const said = await runCli(['reconciled', 'pg_sales', '--json'], { env });
    expect(said).toMatchObject({ code: 0 });
    expect(said.json()).toEqual({ target: 'pg_sales', gaps: found.length });
    expect((await row())?.needsReconcile).toBeUndefined();
    await until(async () => (await service?.service.lanes.rows())?.[0]?.needsReconcile === undefined);
  }, 90_000);

  it('are announced from 70 % of the way on, once', async () => {
    const lines: string[] = [];
    const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
    const alarms = () => lines.filter((line) => line.includes('will soon be discarded'));
    const replica = await start(true, log);
    const share = async () => (await link.jsm.streams.info('CHANGES')).state.bytes / MAX_BYTES;
    while ((await share()) < 0.6) await publish(1, ['pg_sales']);
    await seen();
    expect(alarms()).toEqual([]);
    while ((await share()) < 0.8) await publish(1, ['pg_sales']);
    await until(() => alarms().length > 0);
    await publish(4, ['pg_sales']);
    await seen();
    expect(alarms()).toHaveLength(1);
    expect(JSON.parse(alarms()[0] ?? '')).toMatchObject({ level: 'warn', target: 'pg_sales' });
    const [lane] = await replica.service.lanes.rows();
    expect(lane?.retention).toBeGreaterThan(0.75);
    const ready = await fetch(`${replica.service.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.text()).toContain('pg_sales will soon lose changes');
    expect(await gaps()).toEqual([]);
  });

  it('of other services are none of the lane’s: no gap, however many are discarded', async () => {
    await start();
    const own = await publishSlowly(10, ['pg_sales']);
    await publishSlowly(60, ['other']);
    expect(await gaps()).toEqual([]);
    await publishSlowly(40, ['other']);
    expect((await standing()) + lostIn(await gaps())).toBe(own);
    const count = (await gaps()).length;
    await publishSlowly(100, ['other']);
    const after = await gaps();
    expect(await standing()).toBe(0);
    expect(lostIn(after)).toBe(own);
    expect(after.length).toBeGreaterThanOrEqual(count);
    // Everything of the lane is gone by now: what goes from here on is nobody's loss.
    await publishSlowly(160, ['other']);
    expect(await gaps()).toEqual(after);
  });

  it('while no replica runs are a gap that is found at the start: counted where they were seen, else of unknown size', async () => {
    await start();
    await publishSlowly(40, ['pg_sales']);
    await stop();
    await pushOut(21);
    await start();
    const [counted, ...none] = await gaps();
    expect(none).toEqual([]);
    expect(counted).toMatchObject({ firstSequence: 1, lastSequence: 20, changes: 20 });
    expect(await standing()).toBe(20);
    await stop();
    await publish(300);
    await start();
    const unknown = (await gaps()).at(-1);
    expect(await gaps()).toHaveLength(2);
    expect(unknown).not.toHaveProperty('changes');
    expect(unknown?.lastSequence).toBe((await link.jsm.streams.info('CHANGES')).state.first_seq - 1);
    expect(await row()).toMatchObject({ needsReconcile: { gaps: 2 } });
    expect((await row())?.needsReconcile).not.toHaveProperty('changes');
  });

  it('are recorded once although their outcome could not be stored at first, and the owner went meanwhile', async () => {
    await start();
    await publishSlowly(40, ['pg_sales']);
    const { max_bytes } = (await link.jsm.streams.info('OUTCOMES')).config;
    await link.jsm.streams.update('OUTCOMES', { max_bytes: 1 });
    await pushOut(21);
    await until(async () => (await row())?.needsReconcile?.changes === 20);
    await stop();
    await start();
    await seen();
    expect(await gaps()).toEqual([]);
    await link.jsm.streams.update('OUTCOMES', { max_bytes });
    await until(async () => (await gaps()).length > 0);
    await seen();
    expect(await gaps()).toMatchObject([{ firstSequence: 1, lastSequence: 20, changes: 20 }]);
    expect(await row()).toMatchObject({ needsReconcile: { gaps: 1, changes: 20 } });
  });

  it('while a target was out of the configuration are no gap: it begins anew', async () => {
    const replica = await start();
    await publishSlowly(20, ['pg_sales']);
    await replica.apply('targets: []\n');
    await until(async () => (await replica.service.lanes.rows()).length === 0);
    await until(async () => !(await consumers()).includes('lane-pg_sales-0of1'));
    await pushOut(60);
    await replica.apply(config(true));
    await replica.lanes('paused');
    await publishSlowly(10, ['pg_sales']);
    expect(await gaps()).toEqual([]);
    expect((await row())?.lag).toBe(10);
  });

  it('are a gap as well when the consumer was lost, and made again behind an ack floor that no longer stands', async () => {
    await start();
    await publishSlowly(40, ['pg_sales']);
    await link.jsm.consumers.delete('CHANGES', 'lane-pg_sales-0of1');
    await stop();
    await pushOut(21);
    await start();
    expect(await gaps()).toMatchObject([{ firstSequence: 1, lastSequence: 20 }]);
    const { num_pending } = await link.jsm.consumers.info('CHANGES', 'lane-pg_sales-0of1');
    expect(num_pending).toBe(await standing());
  });

  it('a target that is away: what its lane has in hand is no gap while it lives, and one for the next owner', async () => {
    await start(false);
    await publishSlowly(40, ['pg_sales']);
    await until(async () => (await row())?.held === 40);
    await publishSlowly(140, ['other']);
    expect(await standing()).toBe(0);
    expect(await gaps()).toEqual([]);
    await stop();
    await start(false);
    const [gap, ...none] = await gaps();
    expect(none).toEqual([]);
    expect(gap).toMatchObject({ firstSequence: 1 });
    expect(await row()).toMatchObject({ needsReconcile: { gaps: 1 } });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetKey } from '../../../src/domain/asset.ts';
import { changeSubject } from '../../../src/domain/subjects.ts';
import { createParkedStore } from '../../../src/service/parked-store.ts';
import { connectNats, type NatsLink } from '../../../streams/nats/connection.ts';
import type { Publisher } from '../../../streams/nats/contract.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { listSubjects } from '../../../streams/nats/stream-subjects.ts';
import { readSuspects, writeSuspects } from '../../../streams/nats/suspect-store.ts';
import { ensureTopology } from '../../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../../support/nats-server.ts';

let nats: NatsServer;
let link: NatsLink;
let publisher: Publisher;
const TARGET = 'pg sales.eu';
const asset = (table: string) => ({ entityType: 'table', fqn: `"${TARGET}".shop.public.${table}` }) as const;

beforeAll(async () => {
  nats = await startNatsServer();
  link = await connectNats({ servers: nats.url, name: 'parking' });
  await ensureTopology(link, { parkedMaxBytes: 60_000 });
  publisher = createPublisher(link, { maxMessages: 64, maxBytes: 8 * 1024 * 1024 });
});
afterAll(async () => {
  await link?.close();
  await nats?.stop();
});

const storeOf = (partition = 0, partitions = 1) =>
  createParkedStore({ link, publisher, target: TARGET, partition, partitions, persist: (action) => action() });

/** A change as intake publishes it, and its sequence. */
async function publish(table: string, body: string): Promise<number> {
  const headers = { traceparent: '00-a-b-01', 'backflow-received-at': '7' };
  const receipt = await publisher.publish(changeSubject(TARGET, asset(table)), body, { headers, msgId: `id ${body}` });
  return receipt.sequence;
}

describe('parked changes on a real nats-server', () => {
  it('come back as they were, with their time and headers, and are gone when they are removed', async () => {
    const store = storeOf();
    const key = assetKey(asset('orders'));
    const [one, two] = [await publish('orders', '{"a":"ä"}'), await publish('orders', '{"b":2}')];
    const before = Date.now();
    expect(await store.park(key, [one, two], 42)).toBe(true);
    expect(await store.park(key, [one], 43)).toBe(true);
    expect(await store.listParked()).toEqual(new Map([[key, [one, two]]]));
    await link.jsm.streams.purge('CHANGES');
    const found = await store.parkedChanges(key, [one, two, 999]);
    expect([...found.keys()]).toEqual([one, two]);
    expect(Buffer.from(found.get(one)?.data ?? []).toString()).toBe('{"a":"ä"}');
    expect(found.get(one)?.headers).toEqual({ traceparent: '00-a-b-01', 'backflow-received-at': '7' });
    expect(found.get(one)?.streamTime).toBeLessThanOrEqual(before);
    await store.unpark(key, [one, 999]);
    expect(await store.listParked()).toEqual(new Map([[key, [two]]]));
    await store.unpark(key, [two]);
    expect(await listSubjects(link, 'PARKED', 'parked.>')).toEqual([]);
  });

  it('a lost copy is made good from CHANGES; what is nowhere cannot be parked', async () => {
    const store = storeOf();
    const key = assetKey(asset('lost'));
    const sequence = await publish('lost', '{"c":3}');
    const found = await store.parkedChanges(key, [sequence]);
    expect(Buffer.from(found.get(sequence)?.data ?? []).toString()).toBe('{"c":3}');
    expect(await store.park(key, [sequence, 12_345], 1)).toBe(false);
    await store.unpark(key, [sequence]);
  });

  it('each partition lists its own', async () => {
    const store = storeOf();
    const keys: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const table = `t${i}`;
      keys.push(assetKey(asset(table)));
      expect(await store.park(assetKey(asset(table)), [await publish(table, `{"t":${i}}`)], 1)).toBe(true);
    }
    const parts = await Promise.all([0, 1, 2].map((partition) => storeOf(partition, 3).listParked()));
    expect(parts.flatMap((part) => [...part.keys()]).sort()).toEqual([...keys].sort());
    for (const part of parts) expect(part.size).toBeGreaterThan(0);
    for (const part of parts) for (const [key, sequences] of part) await store.unpark(key, sequences);
  });

  it('when there is no room left, nothing that is parked goes, and the lane is told', async () => {
    const store = storeOf();
    const key = assetKey(asset('large'));
    const sequences: number[] = [];
    for (let i = 0; i < 4; i += 1) sequences.push(await publish('large', `{"large":"${i}${'x'.repeat(20_000)}"}`));
    expect(await store.park(key, sequences.slice(0, 2), 1)).toBe(true);
    expect(await store.park(key, sequences.slice(2), 1)).toBe(false);
    expect((await store.listParked()).get(key)).toEqual(expect.arrayContaining(sequences.slice(0, 2)));
    await store.unpark(key, sequences);
  });
});

describe('notes on suspected changes', () => {
  it('outlast their owner, lane by lane, and go when nothing is noted any more', async () => {
    expect(await readSuspects(link, 'lane-a=20b-0of1')).toEqual({ deaths: {} });
    await writeSuspects(link, 'lane-a=20b-0of1', { deaths: { 7: 2 }, running: 9 });
    expect(await readSuspects(link, 'lane-a=20b-0of1')).toEqual({ deaths: { 7: 2 }, running: 9 });
    expect(await readSuspects(link, 'lane-c-0of1')).toEqual({ deaths: {} });
    await writeSuspects(link, 'lane-a=20b-0of1', { deaths: {} });
    expect(await readSuspects(link, 'lane-a=20b-0of1')).toEqual({ deaths: {} });
  });
});

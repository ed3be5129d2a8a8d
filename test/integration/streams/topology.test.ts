import { DiscardPolicy } from '@nats-io/jetstream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectNats, type NatsLink } from '../../../streams/nats/connection.ts';
import { ensureConsumer, ensureTopology } from '../../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../../support/nats-server.ts';

let server: NatsServer;
let link: NatsLink;

beforeAll(async () => {
  server = await startNatsServer();
  link = await connectNats({ servers: server.url, name: 'test' });
});
afterAll(async () => {
  await link.close();
  await server.stop();
});

const NAMES = ['EVENTS', 'CHANGES', 'OUTCOMES', 'DEADLETTERS', 'KV_backflow-config', 'KV_backflow-leases'];

async function streamNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const name of link.jsm.streams.names()) names.push(name);
  return names;
}

afterEach(async () => {
  for (const name of await streamNames()) await link.jsm.streams.delete(name);
});

describe('ensureTopology', () => {
  it('creates the streams and buckets as designed, by several replicas at once', async () => {
    await Promise.all([ensureTopology(link), ensureTopology(link), ensureTopology(link)]);
    expect(await streamNames()).toEqual(expect.arrayContaining(NAMES));
    const changes = (await link.jsm.streams.info('CHANGES')).config;
    expect(changes).toMatchObject({
      subjects: ['change.>'],
      discard: 'old',
      max_age: 14 * 24 * 3600 * 1e9,
      max_bytes: 10 * 1024 ** 3,
      duplicate_window: 600 * 1e9,
    });
    const outcomes = (await link.jsm.streams.info('OUTCOMES')).config;
    expect(outcomes).toMatchObject({
      subjects: ['outcome.>', 'bulk.>'],
      discard: 'new',
      max_msgs_per_subject: 50,
      max_age: 0,
      allow_direct: true,
    });
  });

  it('changes nothing when it runs again, not even what an operator tuned', async () => {
    await ensureTopology(link);
    await link.jsm.streams.update('CHANGES', { max_bytes: 5_000_000 });
    await ensureTopology(link);
    expect((await link.jsm.streams.info('CHANGES')).config.max_bytes).toBe(5_000_000);
  });

  it('brings about a size that was asked for in so many words', async () => {
    await ensureTopology(link);
    await ensureTopology(link, { changesMaxBytes: 7_000_000, changesMaxAgeMs: 3_600_000 });
    const { config } = await link.jsm.streams.info('CHANGES');
    expect(config).toMatchObject({ max_bytes: 7_000_000, max_age: 3_600 * 1e9 });
  });

  it('refuses an existing stream that would lose outcomes, and names the settings', async () => {
    await link.jsm.streams.add({ name: 'OUTCOMES', subjects: ['outcome.>', 'bulk.>'], discard: DiscardPolicy.Old });
    const refusal = await ensureTopology(link).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'incompatible' });
    expect(String(refusal)).toMatch(/OUTCOMES.*discard is "old" and has to be "new"/);
    expect(String(refusal)).toMatch(/max_msgs_per_subject is -1 and has to be 50/);
  });

  it('says so when another stream already takes the subjects', async () => {
    await link.jsm.streams.add({ name: 'OTHER', subjects: ['change.>'] });
    await expect(ensureTopology(link)).rejects.toMatchObject({
      code: 'incompatible',
      message: expect.stringContaining('CHANGES cannot be created: another stream already takes change.>'),
    });
  });

  it('says how much storage is missing', async () => {
    await expect(ensureTopology(link, { changesMaxBytes: 1e15 })).rejects.toMatchObject({
      code: 'full',
      message: expect.stringContaining('max_file_store'),
    });
  });

  it('says what replicas need where there is only one server', async () => {
    const refusal = await ensureTopology(link, { replicas: 3 }).catch((error: unknown) => error);
    if (link.capabilities().replicatedCompareAndSet) {
      expect(refusal).toMatchObject({
        code: 'incompatible',
        message: expect.stringContaining('3 replicas need a cluster'),
      });
    } else {
      expect(refusal).toMatchObject({
        code: 'unsupported-by-server',
        message: expect.stringContaining('3 replicas on NATS'),
      });
    }
  });

  it('keeps the last outcomes of a subject and discards older ones, though it discards new at the limit', async () => {
    await ensureTopology(link);
    for (let i = 1; i <= 55; i += 1) await link.js.publish('outcome.t.a', String(i));
    const { state } = await link.jsm.streams.info('OUTCOMES');
    expect(state).toMatchObject({ messages: 50, first_seq: 6, last_seq: 55 });
  });
});

describe('ensureConsumer', () => {
  const request = { stream: 'CHANGES', durable: 'lane', filters: ['change.a.>'] };

  it('creates once, then finds; changed settings are taken over without moving the position', async () => {
    await ensureTopology(link);
    expect(await ensureConsumer(link, request)).toEqual({ created: true });
    await link.js.publish('change.a.1.table.x', '');
    const consumer = await link.js.consumers.get('CHANGES', 'lane');
    (await consumer.next({ expires: 1_000 }))?.ack();
    await link.flush();
    expect(await ensureConsumer(link, { ...request, maxAckPending: 17 })).toEqual({ created: false });
    const info = await link.jsm.consumers.info('CHANGES', 'lane');
    expect(info.config).toMatchObject({ max_ack_pending: 17, ack_wait: 30_000 * 1e6, filter_subject: 'change.a.>' });
    expect(info.delivered.stream_seq).toBe(1);
  });

  it('takes a filter away as well', async () => {
    await ensureTopology(link);
    await ensureConsumer(link, request);
    await ensureConsumer(link, { ...request, filters: [] });
    await link.js.publish('change.b.1.table.x', '');
    expect((await link.jsm.consumers.info('CHANGES', 'lane')).num_pending).toBe(1);
  });

  it('begins after a sequence, or with what comes from now on', async () => {
    await ensureTopology(link);
    for (let i = 0; i < 5; i += 1) await link.js.publish('change.a.1.table.x', String(i));
    await ensureConsumer(link, { ...request, durable: 'after', startAfterSequence: 3 });
    await ensureConsumer(link, { ...request, durable: 'new', deliverNew: true });
    expect((await link.jsm.consumers.info('CHANGES', 'after')).num_pending).toBe(2);
    expect((await link.jsm.consumers.info('CHANGES', 'new')).num_pending).toBe(0);
  });

  it('reads several filters where the server can, and says what is missing where it cannot', async () => {
    await ensureTopology(link);
    for (const service of ['a', 'b', 'c']) await link.js.publish(`change.${service}.1.table.x`, '');
    const several = ensureConsumer(link, { ...request, filters: ['change.a.>', 'change.c.>'] });
    if (link.capabilities().multiFilter) {
      await several;
      expect((await link.jsm.consumers.info('CHANGES', 'lane')).num_pending).toBe(2);
    } else {
      await expect(several).rejects.toMatchObject({ code: 'unsupported-by-server', message: /2\.10/ });
    }
  });

  it('refuses a stream that is missing', async () => {
    await expect(ensureConsumer(link, request)).rejects.toMatchObject({ code: 'not-found' });
  });
});

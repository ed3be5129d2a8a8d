import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../../streams/nats/contract.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { readNewestFirst, readOldestFirst } from '../../../streams/nats/read-stream.ts';
import {
  getBySequence,
  getLast,
  getLastFromLeader,
  getLastMany,
  getNext,
} from '../../../streams/nats/stored-messages.ts';
import { type Fixture, startFixture, text } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function publish(messages: readonly (readonly [subject: string, body: string])[]): Promise<void> {
  const publisher = createPublisher(fixture.link, { maxMessages: 256, maxBytes: 8_000_000 });
  for (const [subject, body] of messages) void publisher.publish(subject, body, { headers: { traceparent: body } });
  await publisher.settle();
}

describe('reading single messages', () => {
  it('gives the last of a subject, the same from any replica and from the leader', async () => {
    await publish([
      ['outcome.one.a', '1'],
      ['outcome.one.a', '2'],
      ['outcome.one.b', 'ä\u0000漢'],
    ]);
    const direct = await getLast(fixture.link, 'OUTCOMES', 'outcome.one.a');
    expect(direct).toMatchObject({ subject: 'outcome.one.a', headers: { traceparent: '2' } });
    expect(text(direct?.data ?? Buffer.alloc(0))).toBe('2');
    expect(Math.abs((direct?.time ?? 0) - Date.now())).toBeLessThan(60_000);
    const leader = await getLastFromLeader(fixture.link, 'OUTCOMES', 'outcome.one.a');
    expect({ ...leader, data: text(leader?.data ?? Buffer.alloc(0)) }).toEqual({ ...direct, data: '2' });
    const other = await getLast(fixture.link, 'OUTCOMES', 'outcome.one.b');
    expect(text(other?.data ?? Buffer.alloc(0))).toBe('ä\u0000漢');
    const bySequence = await getBySequence(fixture.link, 'OUTCOMES', direct?.sequence ?? 0);
    expect(bySequence).toMatchObject({ subject: 'outcome.one.a', sequence: direct?.sequence });
  });

  it('gives undefined for what is not there, and an error for a stream that is not there', async () => {
    expect(await getLast(fixture.link, 'OUTCOMES', 'outcome.none')).toBeUndefined();
    expect(await getLastFromLeader(fixture.link, 'OUTCOMES', 'outcome.none')).toBeUndefined();
    expect(await getBySequence(fixture.link, 'OUTCOMES', 999_999)).toBeUndefined();
    expect(await getNext(fixture.link, 'OUTCOMES', 1, 'outcome.none.>')).toBeUndefined();
    await expect(getLast(fixture.link, 'NOWHERE', 'x', { timeoutMs: 500 })).rejects.toMatchObject({
      code: expect.stringMatching(/not-found|no-responders|timeout/),
    });
  });

  it('asks the leader where a stream has no direct access', async () => {
    await fixture.link.jsm.streams.add({ name: 'INDIRECT', subjects: ['indirect.>'], allow_direct: false });
    await publish([['indirect.a', 'x']]);
    const found = await getLast(fixture.link, 'INDIRECT', 'indirect.a', { timeoutMs: 500 });
    expect(found).toMatchObject({ sequence: 1, headers: { traceparent: 'x' } });
    expect(await getLast(fixture.link, 'INDIRECT', 'indirect.b', { timeoutMs: 500 })).toBeUndefined();
  });

  it('gives the last of many subjects at once; those without one are absent', async () => {
    const present = Array.from({ length: 700 }, (_, i) => `outcome.many.k${i * 2}`);
    await publish(present.map((subject) => [subject, subject]));
    const asked = Array.from({ length: 1_400 }, (_, i) => `outcome.many.k${i}`);
    const found = await getLastMany(fixture.link, 'OUTCOMES', [...asked, ...asked.slice(0, 10)]);
    expect([...found.keys()].sort()).toEqual([...present].sort());
    expect(text(found.get('outcome.many.k10')?.data ?? Buffer.alloc(0))).toBe('outcome.many.k10');
    expect(await getLastMany(fixture.link, 'OUTCOMES', [])).toEqual(new Map());
  });

  it('asks the leader for those of many subjects that are answered by nonsense', async () => {
    const other = await fixture.connect();
    const subjects = Array.from({ length: 20 }, (_, i) => `nonsense.k${i}`);
    await other.jsm.streams.add({ name: 'NONSENSE', subjects: ['nonsense.>'], allow_direct: false });
    other.nc.subscribe('$JS.API.DIRECT.GET.NONSENSE.>', { callback: (_, message) => void message.respond('nonsense') });
    await publish(subjects.map((subject) => [subject, subject]));
    const connection = fixture.link.nc.info?.client_id;
    const found = await getLastMany(fixture.link, 'NONSENSE', [...subjects, 'nonsense.absent']);
    expect([...found.keys()].sort()).toEqual([...subjects].sort());
    // The connection has not been made anew meanwhile.
    expect(fixture.link.nc.info?.client_id).toBe(connection);
  });
});

describe('reading a stream', () => {
  const bodies = async (messages: AsyncIterable<StoredMessage>) => {
    const got: string[] = [];
    for await (const message of messages) got.push(text(message.data));
    return got;
  };
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

  it('reads what matches, oldest or newest first, up to a limit, leaving no consumer behind', async () => {
    // Among 3,000 messages, 1,000 in a row match one filter and three far apart match another.
    const rare = new Map([
      [5, 'x'],
      [1_500, 'y'],
      [2_950, 'z'],
    ]);
    const all = Array.from({ length: 3_000 }, (_, i) => {
      if (rare.has(i)) return ['outcome.rare.k', rare.get(i) ?? ''] as const;
      return i >= 1_000 && i < 2_000
        ? ([`outcome.dense.k${i % 40}`, String(i)] as const)
        : ([`outcome.noise.k${i}`, ''] as const);
    });
    await publish(all);
    const read = { stream: 'OUTCOMES', filter: 'outcome.dense.>', limit: 10_000 };
    const dense = numbers(1_000, 2_000).filter((body) => body !== '1500');
    expect(await bodies(readOldestFirst(fixture.link, read))).toEqual(dense);
    expect(await bodies(readNewestFirst(fixture.link, read))).toEqual(dense.toReversed());
    expect(await bodies(readNewestFirst(fixture.link, { ...read, limit: 3 }))).toEqual(['1999', '1998', '1997']);
    expect(await bodies(readOldestFirst(fixture.link, { ...read, limit: 3 }))).toEqual(['1000', '1001', '1002']);
    const sparse = { ...read, filter: 'outcome.rare.*' };
    expect(await bodies(readNewestFirst(fixture.link, sparse))).toEqual(['z', 'y', 'x']);
    expect(await bodies(readNewestFirst(fixture.link, { ...sparse, limit: 1 }))).toEqual(['z']);
    const last = await getLast(fixture.link, 'OUTCOMES', 'outcome.rare.k');
    const below = { ...sparse, sequence: last?.sequence ?? 0 };
    expect(await bodies(readNewestFirst(fixture.link, below))).toEqual(['y', 'x']);
    expect(await bodies(readOldestFirst(fixture.link, below))).toEqual(['z']);
    expect(await bodies(readNewestFirst(fixture.link, { ...read, filter: 'outcome.absent.>' }))).toEqual([]);
    const { state } = await fixture.link.jsm.streams.info('OUTCOMES');
    expect(state.consumer_count).toBe(0);
  });

  it('ends on an empty stream', async () => {
    const read = { stream: 'DEADLETTERS', filter: '>', limit: 10 };
    expect(await bodies(readOldestFirst(fixture.link, read))).toEqual([]);
    expect(await bodies(readNewestFirst(fixture.link, read))).toEqual([]);
  });
});

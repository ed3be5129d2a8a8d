import { DiscardPolicy, RetentionPolicy } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishReceipt } from '../../../streams/nats/contract.ts';
import { createPublisher, type PublisherOptions } from '../../../streams/nats/publisher.ts';
import { getLast } from '../../../streams/nats/stored-messages.ts';
import { type Fixture, restFor, startFixture, until } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const open = (options: Partial<PublisherOptions> = {}) =>
  createPublisher(fixture.link, { maxMessages: 64, maxBytes: 1_000_000, ...options });

async function storedOn(filter: string): Promise<number> {
  const { state } = await fixture.link.jsm.streams.info('CHANGES', { subjects_filter: filter });
  return Object.values(state.subjects ?? {}).reduce((sum, amount) => sum + amount, 0);
}

describe('publisher', () => {
  it('stores everything once and in order, and settles when all of it is answered', async () => {
    const publisher = open();
    const receipts: Promise<PublishReceipt>[] = [];
    for (let i = 0; i < 2_000; i += 1) receipts.push(publisher.publish(`change.order.0.table.k${i % 7}`, String(i)));
    await publisher.settle();
    const sequences = (await Promise.all(receipts)).map((receipt) => receipt.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(await storedOn('change.order.>')).toBe(2_000);
  });

  it('P3 never has more on its way than its window, in messages and in bytes', async () => {
    // A responder of our own in place of a stream: it sees what is unanswered, and answers one at a time.
    const other = await fixture.connect();
    const waiting: { reply: string; bytes: number }[] = [];
    let most = { messages: 0, bytes: 0 };
    other.nc.subscribe('slow.>', {
      callback: (_error, message) => {
        waiting.push({ reply: message.reply ?? '', bytes: message.data.length });
        const bytes = waiting.reduce((sum, { bytes: size }) => sum + size, 0);
        most = { messages: Math.max(most.messages, waiting.length), bytes: Math.max(most.bytes, bytes) };
      },
    });
    await other.flush();
    const publisher = open({ maxMessages: 10, maxBytes: 20_000 });
    const sizes = [...Array(40).fill(100), ...Array(40).fill(6_000), 50_000, ...Array(5).fill(100)];
    const published = sizes.map((size: number, i) => publisher.publish(`slow.${i}`, Buffer.alloc(size)));
    for (let answered = 0; answered < sizes.length; answered += 1) {
      await until(() => waiting.length > 0, 'the next comes');
      if (answered % 20 === 0) await restFor(20);
      const next = waiting.shift();
      if (next?.bytes === 50_000) expect(waiting).toEqual([]);
      other.nc.publish(next?.reply ?? '', JSON.stringify({ stream: 'X', seq: answered + 1 }));
    }
    await Promise.all(published);
    expect(most.messages).toBe(10);
    expect(most.bytes).toBe(50_000);
  });

  it('answers a repeated id as duplicate, on whatever subject of the stream', async () => {
    const publisher = open();
    const first = await publisher.publish('change.dup.0.table.a', 'x', { msgId: 'same' });
    const second = await publisher.publish('change.dup.0.table.b', 'y', { msgId: 'same' });
    expect(first.duplicate).toBe(false);
    expect(second).toEqual({ sequence: first.sequence, duplicate: true });
    // Another stream has a window of its own.
    expect((await publisher.publish('outcome.dup.a', 'x', { msgId: 'same' })).duplicate).toBe(false);
  });

  it('refuses with a conflict when the subject has moved on', async () => {
    const publisher = open();
    const subject = 'outcome.cas.a';
    const first = await publisher.publish(subject, '1', { expectedLastSubjectSequence: 0 });
    await publisher.publish(subject, '2', { expectedLastSubjectSequence: first.sequence });
    for (const expectedLastSubjectSequence of [0, first.sequence]) {
      await expect(publisher.publish(subject, '3', { expectedLastSubjectSequence })).rejects.toMatchObject({
        code: 'conflict',
        class: 'conflict',
      });
    }
  });

  it('sends again what is not answered in time, which is stored once and is no conflict with itself', async () => {
    // So short a time that every message goes out several times.
    const publisher = open({ timeoutMs: 1, maxMessages: 1_000, maxBytes: 50_000_000 });
    const receipts = Array.from({ length: 300 }, (_, i) =>
      publisher.publish(
        `outcome.again.k${i}`,
        Buffer.alloc(20_000),
        i % 2 === 0 ? {} : { expectedLastSubjectSequence: 0 },
      ),
    );
    await Promise.all(receipts);
    await restFor(200);
    const { state } = await fixture.link.jsm.streams.info('OUTCOMES', { subjects_filter: 'outcome.again.>' });
    expect(Object.values(state.subjects ?? {})).toEqual(Array(300).fill(1));
  });

  it('keeps trying while no stream takes the subject, and says so when it gives up', async () => {
    const publisher = open();
    await expect(publisher.publish('nobody.home', 'x', { giveUpAfterMs: 200 })).rejects.toMatchObject({
      code: 'no-responders',
      class: 'transient',
    });
    const later = publisher.publish('late.stream', 'x');
    await restFor(150);
    await fixture.link.jsm.streams.add({ name: 'LATE', subjects: ['late.>'] });
    expect((await later).sequence).toBe(1);
  });

  it('brings everything over an outage, each message once', async () => {
    // No try times out: what is sent again is sent because the connection is back.
    const publisher = open({ maxMessages: 100, timeoutMs: 60_000 });
    const receipts: Promise<PublishReceipt>[] = [];
    const publish = (i: number) => receipts.push(publisher.publish(`change.outage.0.table.k${i}`, String(i)));
    for (let i = 0; i < 200; i += 1) publish(i);
    await fixture.server.kill();
    for (let i = 200; i < 400; i += 1) publish(i);
    await fixture.server.restart();
    for (let i = 400; i < 500; i += 1) publish(i);
    await Promise.all(receipts);
    expect(await storedOn('change.outage.>')).toBe(500);
  });

  it('tells a full stream from other refusals', async () => {
    await fixture.link.jsm.streams.add({
      name: 'SMALL',
      subjects: ['small.>'],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.New,
      max_bytes: 10_000,
    });
    const publisher = open();
    await publisher.publish('small.a', Buffer.alloc(8_000));
    await expect(publisher.publish('small.b', Buffer.alloc(8_000))).rejects.toMatchObject({
      code: 'full',
      class: 'throttled',
    });
  });

  it('refuses what is larger than the server takes, without sending it', async () => {
    const tooLarge = Buffer.alloc(fixture.link.maxPayload());
    await expect(open().publish('change.big.0.table.k', tooLarge)).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('max_payload'),
    });
  });

  it('passes headers through as they are, and none can be smuggled in by a line break', async () => {
    const headers = { traceparent: '00-1-2-01', 'X-Own': 'a\r\nNats-Rollup: all', unicode: 'é漢' };
    await open().publish('change.headers.0.table.k', '', { headers, msgId: 'h1' });
    const stored = await getLast(fixture.link, 'CHANGES', 'change.headers.0.table.k');
    expect(stored?.headers).toEqual({ ...headers, 'X-Own': 'a Nats-Rollup: all', 'Nats-Msg-Id': 'h1' });
  });

  it('fails what is open when the connection is closed, and what comes after', async () => {
    const link = await fixture.connect();
    const publisher = createPublisher(link, { maxMessages: 1, maxBytes: 1_000 });
    const open = [publisher.publish('nobody.there', 'x'), publisher.publish('nobody.there', 'y')];
    await link.close();
    for (const receipt of open) await expect(receipt).rejects.toMatchObject({ code: 'closed' });
    await expect(publisher.publish('change.x.0.table.k', 'x', { giveUpAfterMs: 100 })).rejects.toMatchObject({
      class: 'transient',
    });
    await publisher.settle();
  });
});

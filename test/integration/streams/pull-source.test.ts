import type { Subscription } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Delivery, PullEvent } from '../../../streams/nats/contract.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { createPullSource } from '../../../streams/nats/pull-source.ts';
import { ensureConsumer } from '../../../streams/nats/topology.ts';
import { restFor, text, until } from './fixture.ts';
import { collect, pullFixture } from './pull-fixture.ts';

const pull = pullFixture();

describe('P3 credits', () => {
  it('hands a stalled subscriber exactly its credits, and one more for each ack', async () => {
    await pull.publish(500);
    const source = pull.open();
    const { got, subscription } = collect(source);
    await until(() => got.length === 20, 'all credits are used');
    await restFor(200);
    expect(got).toHaveLength(20);
    expect((await pull.info()).num_ack_pending).toBe(20);
    for (const delivery of got.slice(0, 5)) delivery.ack();
    await until(() => got.length === 25, 'freed credits are used');
    await restFor(100);
    expect(got).toHaveLength(25);
    expect((await pull.info()).num_ack_pending).toBe(20);
    expect(source.creditsInUse().messages).toBe(20);
    subscription.unsubscribe();
    for (const delivery of got) delivery.ack();
    await source.stopped();
  });

  it('counts bytes as the server does and never exceeds them', async () => {
    await pull.publish(60, (i) => Buffer.alloc(500 + ((i * 137) % 1_700), 'x'));
    const limit = 10_000;
    const source = pull.open({ limits: { messages: 1_000, bytes: limit } });
    const held: Delivery[] = [];
    let done = 0;
    let most = 0;
    const counts = new Set<number>();
    const subscription = source.deliveries.subscribe((delivery) => {
      held.push(delivery);
      counts.add(delivery.deliveryCount);
      most = Math.max(most, source.creditsInUse().bytes);
    });
    while (done < 60) {
      await until(() => held.length > 0, 'something comes');
      held.shift()?.ack();
      done += 1;
    }
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(limit / 2);
    await until(async () => (await pull.info()).num_ack_pending === 0, 'all is acknowledged');
    // Nothing had to be sent back for coming beyond the credits.
    expect([...counts]).toEqual([1]);
    subscription.unsubscribe();
    await source.stopped();
  });

  it('lets a message above the whole budget pass alone', async () => {
    const sizes = [100, 100, 50_000, 100, 60_000, 70_000, 100];
    await pull.publish(sizes.length, (i) => Buffer.alloc(sizes[i] ?? 0, 'x'));
    const source = pull.open({ limits: { messages: 50, bytes: 5_000 } });
    const order: number[] = [];
    const together: number[] = [];
    const events: PullEvent[] = [];
    source.events.subscribe((event) => events.push(event));
    const subscription = source.deliveries.subscribe((delivery) => {
      order.push(delivery.data.length);
      if (delivery.data.length > 5_000) together.push(source.creditsInUse().messages);
      setTimeout(() => delivery.ack(), 5);
    });
    await until(() => order.length >= sizes.length, 'all of them came');
    expect(order).toEqual(sizes);
    expect(together).toEqual([1, 1, 1]);
    expect(events.filter((event) => event.type === 'oversized').length).toBeGreaterThanOrEqual(3);
    subscription.unsubscribe();
    await source.stopped();
  });

  it('refuses a second subscriber', async () => {
    const source = pull.open();
    const { subscription } = collect(source);
    const errors: unknown[] = [];
    source.deliveries.subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toMatchObject([{ code: 'already-subscribed' }]);
    subscription.unsubscribe();
    await source.stopped();
  });
});

describe('messages in hand', () => {
  it('carry subject, sequence, time, headers in their case, and what waits behind them', async () => {
    const publisher = createPublisher(pull.fixture.link, { maxMessages: 10, maxBytes: 1_000_000 });
    const before = Date.now();
    const headers = { traceparent: '00-aa-bb-01', 'X-Mixed': 'Ünïcode' };
    const { sequence } = await publisher.publish(`change.${pull.service}.0.table.k`, 'body', {
      headers,
      msgId: `m-${pull.service}`,
    });
    await publisher.publish(`change.${pull.service}.0.table.k`, 'second');
    const source = pull.open({ limits: { messages: 1, bytes: 1_000 } });
    const { got, subscription } = collect(source);
    await until(() => got.length === 1, 'it comes');
    const [delivery] = got;
    expect(delivery).toMatchObject({
      subject: `change.${pull.service}.0.table.k`,
      sequence,
      deliveryCount: 1,
      pending: 1,
    });
    expect(delivery?.headers).toMatchObject({ ...headers, 'Nats-Msg-Id': `m-${pull.service}` });
    expect(delivery?.headers.Traceparent).toBeUndefined();
    expect(text(delivery?.data ?? Buffer.alloc(0))).toBe('body');
    expect(Math.abs((delivery?.streamTime ?? 0) - before)).toBeLessThan(60_000);
    subscription.unsubscribe();
    delivery?.ack();
    await source.stopped();
  });

  it('are kept alive beyond ack_wait without the caller doing anything', async () => {
    await pull.fixture.link.jsm.consumers.delete('CHANGES', pull.durable);
    await ensureConsumer(pull.fixture.link, {
      stream: 'CHANGES',
      durable: pull.durable,
      filters: [`change.${pull.service}.>`],
      ackWaitMs: 1_500,
    });
    await pull.publish(3);
    const source = pull.open({ ackWaitMs: 1_500 });
    const { got, subscription } = collect(source);
    await until(() => got.length === 3, 'they come');
    await restFor(3_500);
    expect(await pull.info()).toMatchObject({ num_redelivered: 0, num_ack_pending: 3 });
    expect(got.map((delivery) => delivery.deliveryCount)).toEqual([1, 1, 1]);
    subscription.unsubscribe();
    for (const delivery of got) delivery.ack();
    await source.stopped();
  });

  it('are not handed out twice: a redelivery takes no credit, and its ack handle counts', async () => {
    await pull.fixture.link.jsm.consumers.delete('CHANGES', pull.durable);
    await ensureConsumer(pull.fixture.link, {
      stream: 'CHANGES',
      durable: pull.durable,
      filters: [`change.${pull.service}.>`],
      ackWaitMs: 300,
    });
    await pull.publish(2);
    const source = pull.open();
    const { got, subscription } = collect(source);
    await until(() => got.length === 2, 'they come');
    await until(() => got.every((delivery) => delivery.deliveryCount >= 3), 'they are redelivered');
    expect(got).toHaveLength(2);
    expect(source.creditsInUse().messages).toBe(2);
    for (const delivery of got) delivery.ack();
    for (const delivery of got) delivery.ack();
    await until(async () => (await pull.info()).num_ack_pending === 0, 'the acks are taken');
    expect(source.creditsInUse()).toEqual({ messages: 0, bytes: 0 });
    subscription.unsubscribe();
    await source.stopped();
  });

  it('come again after a nak, not before its delay', async () => {
    await pull.publish(1);
    const source = pull.open();
    const { got, subscription } = collect(source);
    await until(() => got.length === 1, 'it comes');
    got[0]?.nak(400);
    expect(source.creditsInUse().messages).toBe(0);
    await restFor(150);
    expect(got).toHaveLength(1);
    await until(() => got.length === 2, 'it comes again');
    expect(got[1]).toMatchObject({ deliveryCount: 2, sequence: got[0]?.sequence });
    got[1]?.ack();
    subscription.unsubscribe();
    await source.stopped();
  });
});

describe('stopping', () => {
  it('gives back at once what was on its way when it is unsubscribed in full flow', async () => {
    await pull.publish(900, () => Buffer.alloc(2_000, 'x'));
    for (let round = 0; round < 8; round += 1) {
      const lane = `${pull.durable}-${round}`;
      await ensureConsumer(pull.fixture.link, {
        stream: 'CHANGES',
        durable: lane,
        filters: [`change.${pull.service}.>`],
      });
      const source = pull.open({ durable: lane, limits: { messages: 900, bytes: 16_000_000 } });
      const seen: number[] = [];
      const stopAt = 1 + round * 25;
      const subscription: Subscription = source.deliveries.subscribe((delivery) => {
        seen.push(delivery.sequence);
        delivery.ack();
        if (seen.length === stopAt) queueMicrotask(() => subscription.unsubscribe());
      });
      await until(() => seen.length >= stopAt, 'it flows');
      await source.stopped();
      expect(source.creditsInUse().messages).toBe(0);

      // The rest is there for the next owner long before ack_wait (30 s) is over.
      const next = pull.open({ durable: lane, limits: { messages: 4_000, bytes: 50_000_000 } });
      const reading = next.deliveries.subscribe((delivery) => {
        seen.push(delivery.sequence);
        delivery.ack();
      });
      await until(() => seen.length >= 900, 'the rest comes', 10_000);
      reading.unsubscribe();
      await next.stopped();
      expect(new Set(seen).size).toBe(900);
      const { num_ack_pending } = await pull.fixture.link.jsm.consumers.info('CHANGES', lane);
      expect(num_ack_pending).toBe(0);
    }
  });

  it('stops although changes keep coming, and loses none of them to a request that is left open', async () => {
    // The consumer gives a lost message out again only after 30 s, and the request would stay open for a minute.
    const patient = { limits: { messages: 100_000, bytes: 30_000_000 }, expiresMs: 60_000 };
    let published = 0;
    const flow = setInterval(() => {
      pull.fixture.link.nc.publish(`change.${pull.service}.0.table.k`, 'x');
      published += 1;
    }, 3);
    const seen = new Set<number>();
    const take = (delivery: Delivery): void => {
      seen.add(delivery.sequence);
      delivery.ack();
    };
    for (let stops = 0; stops < 12; stops += 1) {
      const source = pull.open(patient);
      const before = seen.size;
      const subscription = source.deliveries.subscribe(take);
      await until(() => seen.size > before, 'something comes');
      subscription.unsubscribe();
      await source.stopped();
    }
    clearInterval(flow);
    const last = pull.open(patient);
    const subscription = last.deliveries.subscribe(take);
    await until(() => seen.size === published, 'every message has come to somebody');
    subscription.unsubscribe();
    await last.stopped();
  });

  it('keeps what is in hand valid after unsubscribing', async () => {
    await pull.publish(5);
    const source = pull.open();
    const { got, subscription } = collect(source);
    await until(() => got.length === 5, 'they come');
    subscription.unsubscribe();
    await source.stopped();
    expect((await pull.info()).num_ack_pending).toBe(5);
    for (const delivery of got) delivery.ack();
    await until(async () => (await pull.info()).num_ack_pending === 0, 'the acks are taken');
  });

  it('never hangs when the connection is closed under it', async () => {
    await pull.publish(5);
    const link = await pull.fixture.connect();
    const source = createPullSource(link, {
      stream: 'CHANGES',
      durable: pull.durable,
      limits: { messages: 5, bytes: 1_000_000 },
    });
    const { got, subscription } = collect(source);
    await until(() => got.length === 5, 'they come');
    link.nc.subscribe('never.read');
    await link.close();
    for (const delivery of got) delivery.ack();
    subscription.unsubscribe();
    await source.stopped();
    expect(source.creditsInUse().messages).toBe(0);
  });
});

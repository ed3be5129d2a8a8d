import { describe, expect, it } from 'vitest';
import { ensureConsumer } from '../../../streams/nats/topology.ts';
import { restFor, until } from './fixture.ts';
import { collect, pullFixture } from './pull-fixture.ts';

const pull = pullFixture();

describe('a pull source in trouble', () => {
  it('tells that the consumer was deleted, and goes on when it is made again', async () => {
    await pull.publish(1);
    const source = pull.open({ expiresMs: 1_000 });
    const { got, events, subscription } = collect(source);
    await until(() => got.length === 1, 'it comes');
    got[0]?.ack();
    await pull.fixture.link.flush();
    await pull.fixture.link.jsm.consumers.delete('CHANGES', pull.durable);
    await until(() => events.some((event) => event.type === 'consumer-missing'), 'it is noticed');
    await ensureConsumer(pull.fixture.link, {
      stream: 'CHANGES',
      durable: pull.durable,
      filters: [`change.${pull.service}.>`],
      startAfterSequence: got[0]?.sequence ?? 0,
    });
    await pull.publish(3);
    await until(() => got.length === 4, 'it goes on');
    subscription.unsubscribe();
    for (const delivery of got) delivery.ack();
    await source.stopped();
  });

  it('counts what comes again as repeated, although the server, whose consumer was made again, does not', async () => {
    await pull.publish(3);
    const source = pull.open({ expiresMs: 1_000 });
    const { got, events, subscription } = collect(source);
    await until(() => got.length === 3, 'they come');
    for (const delivery of got) delivery.ack();
    expect(got.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 1, 1]);
    await pull.fixture.link.flush();
    await pull.fixture.link.jsm.consumers.delete('CHANGES', pull.durable);
    await until(() => events.some((event) => event.type === 'consumer-missing'), 'it is noticed');
    const floor = (got[0]?.sequence ?? 0) - 1;
    const filters = [`change.${pull.service}.>`];
    await ensureConsumer(pull.fixture.link, {
      stream: 'CHANGES',
      durable: pull.durable,
      filters,
      startAfterSequence: floor,
    });
    await pull.publish(1);
    await until(() => got.length === 7, 'all come, and one more');
    expect(got.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 1, 1, 2, 2, 2, 1]);
    subscription.unsubscribe();
    for (const delivery of got) delivery.ack();
    await source.stopped();
  });

  it('notices a missing consumer also when it had nothing to ask for while it was deleted', async () => {
    await pull.publish(3);
    const source = pull.open({ expiresMs: 1_000, limits: { messages: 3, bytes: 1_000_000 } });
    const { got, events, subscription } = collect(source);
    await until(() => got.length === 3, 'all credits are used');
    await pull.fixture.link.jsm.consumers.delete('CHANGES', pull.durable);
    await restFor(50);
    expect(events).toEqual([]);
    for (const delivery of got) delivery.ack();
    await until(() => events.some((event) => event.type === 'consumer-missing'), 'it is noticed');
    subscription.unsubscribe();
    await source.stopped();
  });

  it('asks again when the server falls silent, and still keeps to its credits', async () => {
    const source = pull.open({ expiresMs: 1_000 });
    const { got, events, subscription } = collect(source);
    await restFor(50);
    pull.fixture.server.freeze();
    await until(() => events.filter((event) => event.type === 'silent').length >= 2, 'the silence is noticed');
    pull.fixture.server.thaw();
    await pull.publish(60);
    await until(() => got.length >= 20, 'it goes on');
    await restFor(200);
    expect(got).toHaveLength(20);
    for (let i = 0; i < 60; i += 1) {
      await until(() => got.length > i, 'the next comes');
      expect(source.creditsInUse().messages).toBeLessThanOrEqual(20);
      got[i]?.ack();
    }
    subscription.unsubscribe();
    await source.stopped();
  });

  it('goes on after the server was killed and after it was restarted, losing nothing', async () => {
    await pull.fixture.link.jsm.consumers.delete('CHANGES', pull.durable);
    // What was under way when the server went comes again after ack_wait.
    await ensureConsumer(pull.fixture.link, {
      stream: 'CHANGES',
      durable: pull.durable,
      filters: [`change.${pull.service}.>`],
      ackWaitMs: 2_000,
    });
    await pull.publish(600);
    const source = pull.open({ expiresMs: 1_000, ackWaitMs: 2_000 });
    const seen = new Set<number>();
    const subscription = source.deliveries.subscribe((delivery) => {
      seen.add(delivery.sequence);
      setTimeout(() => delivery.ack(), 2);
    });
    await until(() => seen.size > 100, 'it flows');
    await pull.fixture.server.kill();
    await pull.fixture.server.restart();
    await until(() => seen.size > 350, 'it flows again');
    await pull.fixture.server.restart();
    await pull.publish(100);
    await until(() => seen.size === 700, 'all have come');
    await until(async () => (await pull.info()).num_ack_pending === 0, 'all are acknowledged');
    expect(source.creditsInUse()).toEqual({ messages: 0, bytes: 0 });
    subscription.unsubscribe();
    await source.stopped();
  });
});

import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../streams/nats/contract.ts';
import { DeliveriesInHand, withoutBody } from './deliveries-in-hand.ts';

function delivery(sequence: number, log: string[]): Delivery {
  return {
    subject: 's',
    sequence,
    deliveryCount: 1,
    streamTime: 0,
    headers: { a: 'b' },
    data: Buffer.from('a body'),
    pending: 0,
    ack: () => void log.push(`ack ${sequence}`),
    nak: () => void log.push(`nak ${sequence}`),
  };
}

describe('DeliveriesInHand', () => {
  it('ends each delivery once, and gives back what is not ended', () => {
    const log: string[] = [];
    const inHand = new DeliveriesInHand();
    const [one, two] = [inHand.track(delivery(1, log)), inHand.track(delivery(2, log))];
    inHand.track(delivery(3, log));
    one.ack();
    one.ack();
    two.nak();
    two.ack();
    expect(inHand.size).toBe(1);
    expect(inHand.giveBack()).toBe(1);
    expect(log).toEqual(['ack 1', 'nak 2', 'nak 3']);
  });

  it('acknowledges nothing once it is closed; what comes later goes back at once', () => {
    const log: string[] = [];
    const inHand = new DeliveriesInHand();
    const one = inHand.track(delivery(1, log));
    inHand.close();
    one.ack();
    inHand.track(delivery(2, log)).ack();
    expect(log).toEqual(['nak 2']);
    expect(inHand.giveBack()).toBe(1);
    expect(log).toEqual(['nak 2', 'nak 1']);
    expect(inHand.giveBack()).toBe(0);
  });

  it('lets go of the body and keeps the rest', () => {
    const log: string[] = [];
    const bare = withoutBody(delivery(7, log));
    expect(bare).toMatchObject({ sequence: 7, headers: {} });
    expect(bare.data.length).toBe(0);
    bare.ack();
    expect(log).toEqual(['ack 7']);
  });
});

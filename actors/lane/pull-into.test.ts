import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../streams/nats/contract.ts';
import { pullInto } from './pull-into.ts';

function delivery(sequence: number): Delivery {
  const nothing = () => undefined;
  const common = { subject: 's', sequence, deliveryCount: 1, streamTime: 0, pending: 0, headers: {} };
  return { ...common, data: new Uint8Array(), ack: nothing, nak: nothing };
}

/** Takes batches one at a time, when told to. */
function taker() {
  const batches: number[][] = [];
  const waiting: (() => void)[] = [];
  return {
    batches,
    take: (batch: readonly Delivery[]) => {
      batches.push(batch.map(({ sequence }) => sequence));
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
    async done() {
      waiting.shift()?.();
      for (let i = 0; i < 5; i += 1) await Promise.resolve();
    },
  };
}

describe('pullInto', () => {
  it('hands over what came while the batch before was taken, at most so many', async () => {
    const source = new Subject<Delivery>();
    const { batches, take, done } = taker();
    pullInto(source, take, 3).subscribe();
    for (let i = 1; i <= 6; i += 1) source.next(delivery(i));
    expect(batches).toEqual([[1]]);
    await done();
    await done();
    expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
    await done();
    source.next(delivery(7));
    expect(batches.at(-1)).toEqual([7]);
  });

  it('leaves nothing behind, at whatever step between two batches a delivery comes', async () => {
    for (let steps = 0; steps < 12; steps += 1) {
      const source = new Subject<Delivery>();
      const taken: number[] = [];
      const take = async (batch: readonly Delivery[]) => {
        await Promise.resolve();
        taken.push(...batch.map(({ sequence }) => sequence));
      };
      pullInto(source, take, 3).subscribe();
      source.next(delivery(1));
      for (let i = 0; i < steps; i += 1) await Promise.resolve();
      source.next(delivery(2));
      await new Promise((resolve) => setImmediate(resolve));
      expect(taken).toEqual([1, 2]);
    }
  });

  it('what was pulled before the end of the subscription is still handed over; errors come through', async () => {
    const source = new Subject<Delivery>();
    const { batches, take, done } = taker();
    const errors: unknown[] = [];
    const pulling = pullInto(source, take, 3).subscribe({ error: (error) => errors.push(error) });
    source.next(delivery(1));
    source.next(delivery(2));
    pulling.unsubscribe();
    source.next(delivery(3));
    await done();
    expect(batches).toEqual([[1], [2]]);
    const broken = new Subject<Delivery>();
    pullInto(broken, take, 3).subscribe({ error: (error) => errors.push(error) });
    broken.error('gone');
    expect(errors).toEqual(['gone']);
  });
});

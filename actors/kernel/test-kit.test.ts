import { describe, expect, it } from 'vitest';
import { createTestKit } from './test-kit.ts';

async function order(seed: number | undefined): Promise<string> {
  const kit = createTestKit(seed === undefined ? {} : { seed });
  const ran: string[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) kit.scheduler.yield(() => ran.push(name));
  await kit.settle();
  return ran.join('');
}

describe('test kit', () => {
  it('runs turns first come, first served without a seed, and in a repeatable drawn order with one', async () => {
    expect(await order(undefined)).toBe('abcde');
    expect(await order(3)).toBe(await order(3));
    const orders = new Set(await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(order)));
    expect(orders.size).toBeGreaterThan(4);
  });

  it('moves time only when told, and fires timers in the order in which they are due', async () => {
    const kit = createTestKit({ startAt: 1000 });
    const fired: string[] = [];
    for (const ms of [30, 10, 20]) kit.scheduler.setTimer(ms, () => fired.push(`${ms} at ${kit.clock.now()}`));
    kit.scheduler.setTimer(15, () => fired.push('cancelled')).cancel();
    await kit.settle();
    expect(fired).toEqual([]);
    await kit.advance(25);
    expect(fired).toEqual(['10 at 1010', '20 at 1020']);
    expect(kit.clock.now()).toBe(1025);
    await kit.run();
    expect(fired).toEqual(['10 at 1010', '20 at 1020', '30 at 1030']);
  });

  it('follows what suspends and sleeps', async () => {
    const kit = createTestKit();
    let woken = 0;
    const sleeper = kit
      .suspend()
      .then(() => kit.sleep(100))
      .then(() => {
        woken = kit.clock.now();
      });
    await kit.run();
    await sleeper;
    expect(woken).toBe(100);
  });
});

import { describe, expect, it } from 'vitest';
import { createByteGate } from './byte-gate.ts';

describe('createByteGate', () => {
  it('lets in what fits, holds what does not, in line', async () => {
    const gate = createByteGate(10);
    const first = await gate.enter(8, 1_000);
    const order: string[] = [];
    const second = gate.enter(5, 1_000).then((ticket) => {
      order.push('second');
      return ticket;
    });
    const third = gate.enter(1, 1_000).then((ticket) => {
      order.push('third');
      return ticket;
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    expect(gate.inUse()).toBe(8);
    first?.release();
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    expect(gate.inUse()).toBe(6);
  });

  it('turns away who would wait too long, and lets the next one in', async () => {
    const gate = createByteGate(10);
    await gate.enter(6, 1_000);
    const large = gate.enter(8, 5);
    const small = gate.enter(4, 1_000);
    expect(await large).toBeUndefined();
    expect(await small).toBeDefined();
    expect(gate.inUse()).toBe(10);
  });

  it('gives room back once, however often a ticket is released', async () => {
    const gate = createByteGate(10);
    const ticket = await gate.enter(6, 0);
    await gate.enter(4, 0);
    ticket?.release();
    ticket?.release();
    expect(gate.inUse()).toBe(4);
  });

  it('admits one that is larger than everything when it is alone', async () => {
    const gate = createByteGate(10);
    const ticket = await gate.enter(50, 0);
    expect(gate.inUse()).toBe(10);
    ticket?.release();
    expect(gate.inUse()).toBe(0);
  });
});

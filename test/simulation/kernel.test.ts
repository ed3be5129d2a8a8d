import { context } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as kernel from '../../actors/kernel/index.ts';
import { judge, PROPERTIES } from './kernel-properties.ts';
import { simulate } from './kernel-world.ts';

const SEEDS = 200;

// Installs the context manager, without which nothing could bleed.
beforeAll(() => new NodeTracerProvider().register());
afterAll(() => context.disable());

describe('actor kernel under seeded interleavings', () => {
  it.each(Object.values(PROPERTIES))('$name', async (property) => {
    const verdict = await judge(kernel, property, SEEDS);
    expect(verdict.failure).toBeUndefined();
    expect(verdict.orders).toBeGreaterThanOrEqual(190);
  });

  it('the scheduler alone makes the orders differ, and a seed repeats its own', async () => {
    const { shape } = PROPERTIES.orderKept;
    const orders = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed += 1) orders.add((await simulate(kernel, seed, shape, 1)).deliveryHash);
    expect(orders.size).toBeGreaterThanOrEqual(190);
    expect(orders).toContain((await simulate(kernel, 77, shape, 1)).deliveryHash);
  });
});

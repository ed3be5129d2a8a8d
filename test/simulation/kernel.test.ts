import { context } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as kernel from '../../actors/kernel/index.ts';
import { judge, PROPERTIES } from './kernel-properties.ts';

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
});

import { describe, expect, it } from 'vitest';
import { owner, streams } from '../support/coalescer-world.ts';
import { sampleChannel, sampleConfig, sampleFilter } from '../support/lane-samples.ts';

describe('the assets of a lane', () => {
  const CACHE_BYTES = 100_000;
  const ASSETS = 1_000;

  it('P3: however many are met, only so many stay as the cache has room for; the others are loaded again when they come again', async () => {
    const config = sampleConfig([sampleChannel('docs', { filter: sampleFilter(() => false) })]);
    const world = streams();
    const loaded: string[] = [];
    const lane = owner(world, {
      config,
      cacheBytes: CACHE_BYTES,
      onStates: async (subjects) => void loaded.push(...subjects),
    });
    let sequence = 0;
    const change = async (asset: number): Promise<void> => {
      sequence += 1;
      await lane.change(sequence, `t${asset}`);
      await lane.tell({ type: 'demand', fields: 10 });
    };

    for (let asset = 0; asset < ASSETS; asset += 1) await change(asset);
    expect(world.acks).toHaveLength(ASSETS);
    expect(world.outcomes).toHaveLength(ASSETS);
    expect(new Set(loaded).size).toBe(ASSETS);

    loaded.length = 0;
    // The newest is still there, and the oldest must not be.
    await change(ASSETS - 1);
    expect(loaded).toEqual([]);
    await change(0);
    expect(loaded).toHaveLength(1);

    loaded.length = 0;
    for (let asset = 1; asset < ASSETS; asset += 1) await change(asset);
    // An entry takes some hundred bytes at the least, whatever it holds.
    expect(loaded.length).toBeGreaterThan(ASSETS - CACHE_BYTES / 500);
  });
});

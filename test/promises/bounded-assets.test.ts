import { describe, expect, it } from 'vitest';
import { assetCoalescer } from '../../actors/asset-coalescer/asset-coalescer.ts';
import { holdDelivery } from '../../actors/channel-matcher/hold-delivery.ts';
import { createActorSystem } from '../../actors/kernel/index.ts';
import { createTestKit } from '../../actors/kernel/test-kit.ts';
import { NO_HOLDS } from '../../src/channels/channel-holds.ts';
import { IDENTITY, sampleChannel, sampleConfig, sampleFilter, T0 } from '../support/lane-samples.ts';
import { descriptionEvent } from '../support/traced-changes.ts';

describe('the assets of a lane', () => {
  const CACHE_BYTES = 100_000;
  const ASSETS = 1_000;

  it('P3: however many are met, only so many stay as the cache has room for; the others are loaded again when they come again', async () => {
    const config = sampleConfig([sampleChannel('docs', { filter: sampleFilter(() => false) })]);
    const kit = createTestKit({ startAt: T0 });
    const system = createActorSystem({ clock: kit.clock, random: kit.random, scheduler: kit.scheduler });
    const loaded: string[] = [];
    let recorded = 0;
    const acks: number[] = [];
    const nothing = () => undefined;
    const coalescer = system.spawn(
      assetCoalescer({
        identity: IDENTITY,
        config,
        holds: NO_HOLDS,
        cacheBytes: CACHE_BYTES,
        limits: { messages: 100, bytes: 1_000_000 },
        random: () => 0.5,
        onLost: nothing,
        fenceUntil: 0,
        renderer: { tell: () => true },
        ports: {
          store: {
            lastOutcomes: async (subjects) => {
              loaded.push(...subjects);
              return new Map();
            },
            recordOutcome: async () => {
              recorded += 1;
              return { kind: 'recorded', sequence: recorded };
            },
            recordBulk: async () => 'recorded',
            settledInBulk: async () => new Set(),
            recordDeadLetter: async () => undefined,
            changeBody: async () => undefined,
            parking: {
              park: async () => false,
              parkedChanges: async () => new Map(),
              unpark: async () => undefined,
              listParked: async () => new Map(),
            },
            fetchObject: async () => undefined,
          },
          connect: () => Promise.reject(new Error('not used')),
          observe: { outcome: nothing, deadLetter: nothing, limiterWait: nothing, target: nothing, progress: nothing },
        },
      }),
      { name: 'coalescer' },
    );
    let sequence = 0;
    const change = async (asset: number): Promise<void> => {
      sequence += 1;
      const delivered = sequence;
      const held = holdDelivery(
        {
          subject: 'change.sample',
          sequence: delivered,
          deliveryCount: 1,
          streamTime: T0,
          headers: {},
          data: Buffer.from(descriptionEvent(['pg_sales', 'shop', 'public', `t${asset}`], `text ${delivered}`).body),
          pending: 0,
          ack: () => void acks.push(delivered),
          nak: nothing,
          working: nothing,
        },
        IDENTITY,
        config,
        T0,
      );
      if (held === undefined) throw new Error('the event cannot be read');
      coalescer.tell({ type: 'changes', changes: [held] });
      coalescer.tell({ type: 'demand', fields: 10 });
      await kit.settle();
    };

    for (let asset = 0; asset < ASSETS; asset += 1) await change(asset);
    expect(acks).toHaveLength(ASSETS);
    expect(recorded).toBe(ASSETS);
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

import { describe, expect, it } from 'vitest';
import { memoryConnector } from '../../connectors/conformance/memory-connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Connection } from '../../connectors/contract.ts';
import type { Failure } from '../../src/domain/failure.ts';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld, T0, TARGET } from '../../test/support/lane-samples.ts';
import type { CoalescerMessage } from '../asset-coalescer/coalescer-messages.ts';
import { takeWork } from '../asset-coalescer/take-work.ts';
import { createActorSystem } from '../kernel/index.ts';
import { createTestKit } from '../kernel/test-kit.ts';
import { renderWork } from '../template-renderer/template-renderer.ts';
import { connectorDispatcher } from './connector-dispatcher.ts';

const BUSY: Failure = { class: 'throttled', scope: 'target', code: '429', message: 'slow down', retryAfterMs: 7_000 };
const config = sampleConfig([sampleChannel('docs')]);

/** A dispatcher in virtual time over a target that answers as told. */
function world(apply: Connection['apply']) {
  const kit = createTestKit({ startAt: T0 });
  const system = createActorSystem({ clock: kit.clock, random: () => 0, scheduler: kit.scheduler });
  const told: CoalescerMessage[] = [];
  const throttled: (number | undefined)[] = [];
  const nothing = () => undefined;
  const connection: Connection = {
    check: () => Promise.reject(new Error('not used')),
    read: async (objects) => objects.map(() => ({ exists: true, kind: 'table', description: 'old' })),
    apply,
    close: async () => undefined,
  };
  const ref = system.spawn(
    connectorDispatcher({
      connector: memoryConnector(new Map()),
      coalescer: { offer: async (message) => void told.push(message) },
      batchSize: 5,
      limit: async () => 0,
      throttled: (retryAfterMs) => void throttled.push(retryAfterMs),
      mayDispatch: () => true,
      ending: new AbortController().signal,
      ports: {
        connect: async () => connection,
        observe: { outcome: nothing, deadLetter: nothing, limiterWait: nothing, target: nothing, progress: nothing },
      },
    }),
    { name: 'dispatcher' },
  );
  const batch = async (): Promise<void> => {
    const work = takeWork(sampleEntry([sampleHeld(1, {}, config)], config), TARGET, config);
    ref.tell({ type: 'batch', batch: [renderWork(work)] });
    await kit.settle();
  };
  const kinds = (): string[] => told.splice(0).map(({ type }) => type);
  return { kit, batch, kinds, throttled };
}

describe('connectorDispatcher', () => {
  it('a target that wants to be left alone is, for just that long, and its lane slows down', async () => {
    let answers = 0;
    const lane = world(async (writes) => {
      answers += 1;
      if (answers <= 2) throw new ConnectorError(BUSY);
      return writes.map(({ id }) => ({ id, ok: true, verified: 'commit' }));
    });
    await lane.kit.settle();
    expect(lane.kinds()).toEqual(['demand', 'demand']);
    for (const _ of [1, 2]) {
      await lane.batch();
      expect(lane.kinds()).toEqual(['returned']);
      await lane.kit.advance(6_999);
      expect(lane.kinds()).toEqual([]);
      await lane.kit.advance(1);
      expect(lane.kinds()).toEqual(['demand']);
    }
    expect(lane.throttled).toEqual([7_000, 7_000]);
    await lane.batch();
    expect(lane.kinds()).toEqual(['results', 'demand']);
    expect(answers).toBe(3);
  });

  it('slows down for a single write that was refused so, too', async () => {
    const lane = world(async (writes) =>
      writes.map(({ id }) => ({ id, ok: false, failure: { ...BUSY, scope: 'object', retryAfterMs: 50 } })),
    );
    await lane.kit.settle();
    await lane.batch();
    expect(lane.throttled).toEqual([50]);
    expect(lane.kinds()).toEqual(['demand', 'demand', 'results', 'demand']);
  });
});

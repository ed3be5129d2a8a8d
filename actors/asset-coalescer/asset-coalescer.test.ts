import { describe, expect, it } from 'vitest';
import { NO_HOLDS } from '../../src/channels/channel-holds.ts';
import type { CatalogueAnswer, CatalogueReader } from '../../src/domain/catalogue-reader.ts';
import type { DeadLetter, OutcomeMessage } from '../../src/domain/outcome.ts';
import { parseSnapshot } from '../../src/domain/parse-snapshot.ts';
import { idleObserver, idleStore } from '../../test/support/idle-lane.ts';
import {
  IDENTITY,
  type SampleEvent,
  sampleChannel,
  sampleConfig,
  sampleEvent,
  sampleFilter,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import { createActorSystem } from '../kernel/index.ts';
import { createTestKit } from '../kernel/test-kit.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import type { RecordAnswer } from '../lane/lane-ports.ts';
import { assetCoalescer } from './asset-coalescer.ts';
import type { CoalescerMessage } from './coalescer-messages.ts';

const config = sampleConfig([sampleChannel('docs')]);
const guarded = sampleChannel('docs', { guard: { clears: 0, perMs: 1_000 } });

/** A coalescer in virtual time whose works are applied at once, when `applies`. */
function world(options: { readonly read?: CatalogueReader['read']; readonly fenceUntil?: number } = {}) {
  const kit = createTestKit({ startAt: T0 });
  const system = createActorSystem({ clock: kit.clock, random: kit.random, scheduler: kit.scheduler });
  const outcomes: OutcomeMessage[] = [];
  const works: AssetWork[][] = [];
  const acks: number[] = [];
  const letters: DeadLetter[] = [];
  let answer: (message: OutcomeMessage) => Promise<RecordAnswer> = async () => {
    return { kind: 'recorded', sequence: outcomes.length };
  };
  const ref = system.spawn(
    assetCoalescer({
      identity: IDENTITY,
      config,
      holds: NO_HOLDS,
      cacheBytes: 1_000_000,
      limits: { messages: 100, bytes: 1_000_000 },
      random: () => 0.5,
      onLost: () => void acks.push(-1),
      fenceUntil: options.fenceUntil ?? 0,
      renderer: { tell: ({ works: given }) => works.push([...given]) > 0 },
      ports: {
        store: {
          ...idleStore,
          lastOutcomes: async () => new Map(),
          recordOutcome: async (_subject, message) => {
            outcomes.push(message);
            return answer(message);
          },
          recordDeadLetter: async (letter) => void letters.push(letter),
        },
        connect: () => Promise.reject(new Error('not used')),
        observe: idleObserver,
        ...(options.read === undefined ? {} : { catalogue: { read: options.read } }),
      },
    }),
    { name: 'coalescer' },
  );
  const tell = async (...messages: CoalescerMessage[]): Promise<void> => {
    for (const message of messages) ref.tell(message);
    await kit.settle();
  };
  return {
    kit,
    outcomes,
    works,
    acks,
    tell,
    letters,
    /** The change makes the ledger throw when it is half taken in. */
    poison: (sequence: number, event: SampleEvent) => {
      const held = sampleHeld(sequence, event, config, { acks });
      const broken = { ...held.received.event };
      Object.defineProperty(broken, 'currentVersion', {
        get: () => {
          throw new RangeError('a mistake of ours');
        },
      });
      return tell({ type: 'changes', changes: [{ ...held, received: { ...held.received, event: broken } }] });
    },
    change: (sequence: number, event: SampleEvent) =>
      tell({ type: 'changes', changes: [sampleHeld(sequence, event, config, { acks })] }),
    demand: (fields = 10) => tell({ type: 'demand', fields }),
    /** Applies the batch that was given out last. */
    apply: () =>
      tell({
        type: 'results',
        results: new Map(
          (works.at(-1) ?? []).map((work) => [
            work.key,
            work.fields
              .filter(({ write }) => write !== undefined)
              .map(
                ({ open }) => ({ key: open.key, status: 'applied', statements: [], notes: [], attempts: 1 }) as const,
              ),
          ]),
        ),
      }),
    answerWith(next: typeof answer) {
      answer = next;
    },
    statuses: () =>
      outcomes.flatMap(({ items, superseded }) => [
        ...items.map(({ sequence, status, reason, decidedBy }) => [sequence, status, reason ?? decidedBy]),
        ...superseded.map(({ sequence, by }) => [sequence, 'superseded', by]),
      ]),
    texts: () =>
      works.map((batch) =>
        batch.flatMap(({ fields }) =>
          fields.map(({ write }) => (write?.operation.aspect === 'description' ? write.operation.text : undefined)),
        ),
      ),
  };
}

const vote = (time: number): SampleEvent => ({ time, changes: [['votes', '', 'up']] });

describe('assetCoalescer', () => {
  it('gives work only on demand; what comes meanwhile coalesces, and one outcome is in flight', async () => {
    const lane = world();
    await lane.change(1, { time: T0 + 1, entity: { description: 'one' } });
    expect(lane.works).toEqual([]);
    await lane.change(2, { time: T0 + 2, entity: { description: 'two' } });
    await lane.demand();
    expect(lane.texts()).toEqual([['two']]);
    await lane.change(3, { time: T0 + 3, entity: { description: 'three' } });
    await lane.demand();
    expect(lane.works).toHaveLength(1);
    await lane.apply();
    expect(lane.statuses()).toEqual([
      [2, 'applied', undefined],
      [1, 'superseded', 'e2'],
    ]);
    expect(lane.acks).toEqual([1, 2]);
    expect(lane.texts()).toEqual([['two'], ['three']]);
  });

  it('acknowledges only when the outcome is stored, and stores it in the end', async () => {
    const lane = world();
    lane.answerWith(async () => {
      if (lane.outcomes.length < 3) throw new Error('not now');
      return { kind: 'recorded', sequence: 1 };
    });
    await lane.change(1, vote(T0 + 1));
    expect([lane.outcomes.length, lane.acks]).toEqual([1, []]);
    await lane.kit.advance(10_000);
    expect([lane.outcomes.length, lane.acks]).toEqual([3, [1]]);
    expect(new Set(lane.outcomes.map(({ id }) => id)).size).toBe(1);
  });

  it('stops with nothing acknowledged when the lane was lost', async () => {
    const lane = world();
    lane.answerWith(async () => ({ kind: 'lost' }));
    await lane.change(1, vote(T0 + 1));
    await lane.change(2, { time: T0 + 2 });
    await lane.demand();
    expect(lane.acks).toEqual([-1]);
    expect(lane.works).toEqual([]);
  });

  it('after a takeover nothing is written before outcomes of the owner before are refused', async () => {
    const lane = world({ fenceUntil: T0 + 60_000 });
    await lane.change(1, {});
    await lane.demand();
    expect(lane.outcomes).toMatchObject([{ epoch: IDENTITY.epoch, items: [], superseded: [], settles: [] }]);
    expect(lane.works).toHaveLength(1);
    await lane.apply();
    await lane.change(2, { time: T0 + 2 });
    await lane.demand();
    expect(lane.outcomes).toHaveLength(2);
    expect(lane.works).toHaveLength(2);
  });

  const undo: SampleEvent = {
    time: T0 + 1,
    changes: [['description', 'edited', 'first']],
    entity: { description: 'first', version: 1 },
  };
  const edited: SampleEvent = {
    time: T0 + 50,
    changes: [['description', 'first', 'edited']],
    entity: { description: 'edited', version: 1.1 },
  };
  /** The undo leads from version 1.1 back to 1.0. */
  const heldUndo = (acks: number[]) => {
    const held = sampleHeld(1, undo, config, { acks });
    return { ...held, received: { ...held.received, event: { ...held.received.event, previousVersion: 1.1 } } };
  };

  it('an undo waits for the change that it takes back, and wins over it when that comes', async () => {
    const lane = world();
    await lane.demand();
    await lane.tell({ type: 'changes', changes: [heldUndo(lane.acks)] });
    await lane.kit.advance(2_000);
    expect([lane.works.length, lane.outcomes.length]).toEqual([0, 0]);
    await lane.change(2, edited);
    expect(lane.texts()).toEqual([['first']]);
    await lane.apply();
    expect(lane.statuses()).toEqual([
      [1, 'applied', 'snapshot'],
      [2, 'superseded', 'e1'],
    ]);
  });

  it('an undo whose partner never comes is decided after five seconds', async () => {
    const lane = world();
    await lane.demand();
    await lane.tell({ type: 'changes', changes: [heldUndo(lane.acks)] });
    await lane.kit.advance(4_900);
    expect(lane.works).toHaveLength(0);
    await lane.kit.advance(200);
    expect(lane.works).toHaveLength(1);
  });

  const doubtful = (time: number): SampleEvent => ({ time, withoutEntity: true });
  const found = (description: string): CatalogueAnswer => {
    const entity = JSON.parse(JSON.parse(sampleEvent({ entity: { description } })).entity);
    const snapshot = parseSnapshot(entity, 'table', `${TARGET}.shop.public.orders`);
    if (snapshot === undefined) throw new Error('the sample cannot be read');
    return { kind: 'found', snapshot, serverTime: T0 + 20 };
  };

  it('asks the catalogue in doubt; a change that comes meanwhile is not answered by what was read before it', async () => {
    const { promise, resolve } = Promise.withResolvers<CatalogueAnswer>();
    const lane = world({ read: () => promise });
    await lane.demand();
    await lane.demand();
    await lane.change(1, doubtful(T0 + 10));
    await lane.change(2, { time: T0 + 30, entity: { description: 'newer than the answer' } });
    expect(lane.works).toHaveLength(0);
    resolve(found('as it was read'));
    await lane.kit.settle();
    expect(lane.texts()).toEqual([['newer than the answer']]);
    await lane.apply();
    expect(lane.statuses()).toEqual([
      [2, 'applied', undefined],
      [1, 'superseded', 'e2'],
    ]);
  });

  it('an entity that is gone ends so, and a change that came meanwhile is decided by itself', async () => {
    const { promise, resolve } = Promise.withResolvers<CatalogueAnswer>();
    const lane = world({ read: () => promise });
    await lane.demand();
    await lane.change(1, doubtful(T0 + 10));
    await lane.change(2, { time: T0 + 30, entity: { description: 'made again' } });
    resolve({ kind: 'gone' });
    await lane.kit.settle();
    expect(lane.statuses()).toEqual([[1, 'skipped', 'entity gone: the catalogue no longer knows it']]);
    expect(lane.texts()).toEqual([['made again']]);
  });

  it('an unreachable catalogue is asked six times, then the snapshots decide; the next doubt is asked again', async () => {
    let reads = 0;
    const lane = world({
      read: async () => {
        reads += 1;
        return { kind: 'unreachable', message: 'timeout' };
      },
    });
    await lane.demand();
    await lane.change(1, doubtful(T0 + 10));
    expect(reads).toBe(1);
    await lane.kit.advance(120_000);
    expect(reads).toBe(6);
    expect(lane.statuses()).toMatchObject([[1, 'skipped', expect.stringContaining('carries no entity')]]);
    await lane.change(2, doubtful(T0 + 20));
    expect(reads).toBe(7);
  });

  it('a drain gives out nothing more, waits for what is under way, and takes nothing afterwards', async () => {
    const lane = world();
    const answers: number[] = [];
    await lane.change(1, { time: T0 + 1 });
    await lane.demand();
    await lane.demand();
    await lane.tell({ type: 'drain', replyTo: { name: 'me', tell: ({ returned }) => answers.push(returned) > 0 } });
    await lane.change(2, { time: T0 + 2 });
    expect([answers, lane.works.length]).toEqual([[], 1]);
    await lane.apply();
    expect([answers, lane.acks]).toEqual([[0], [1]]);
    await lane.change(3, { time: T0 + 3 });
    expect(lane.works).toHaveLength(1);
  });

  it('P4 a change that brings out a mistake of ours ends alone, in the dead letters; its asset and the lane go on', async () => {
    const lane = world();
    await lane.change(1, { time: T0 + 1, entity: { description: 'one' } });
    await lane.poison(2, { time: T0 + 2, entity: { description: 'two' } });
    await lane.change(3, { time: T0 + 3, entity: { description: 'three' } });
    await lane.demand();
    await lane.apply();
    await lane.demand();
    await lane.apply();
    expect(lane.letters).toMatchObject([{ sequence: 2, failure: { class: 'invalid', code: 'unexpected' } }]);
    expect(lane.outcomes.flatMap(({ items }) => items).filter(({ sequence }) => sequence === 2)).toMatchObject([
      { eventId: 'e2', status: 'failed', failure: { code: 'unexpected' } },
    ]);
    expect([...lane.acks].sort()).toEqual([1, 2, 3]);
    expect(lane.texts().at(-1)).toEqual(['three']);
    expect(lane.outcomes.at(-1)?.settles).toContain(3);
  });

  it('P4 what was already taken in of such a change is taken back', async () => {
    const lane = world();
    const filter = sampleFilter(({ description }) => {
      if (description === 'bad') throw new RangeError('a mistake of ours');
      return true;
    });
    await lane.tell({ type: 'configure', config: sampleConfig([sampleChannel('docs', { filter })], { revision: 2 }) });
    await lane.change(1, { time: T0 + 1, entity: { description: 'bad' } });
    expect(lane.statuses()).toMatchObject([[1, 'failed', expect.stringContaining('unexpected RangeError')]]);
    await lane.change(2, { time: T0 + 2, entity: { description: 'good' } });
    await lane.demand();
    await lane.apply();
    expect(lane.texts()).toEqual([['good']]);
    expect([lane.acks, lane.letters.length]).toEqual([[1, 2], 1]);
  });

  it('what a channel holds back ends when the channel goes, and goes on when its guard is switched off', async () => {
    const lane = world();
    const cleared = { changes: [['description', 'a', undefined]], entity: { description: undefined } } as const;
    await lane.tell({ type: 'configure', config: sampleConfig([guarded], { revision: 2 }) });
    await lane.tell({ type: 'holds', holds: { paused: new Set(), guarded: new Map([['docs', 0]]) } });
    await lane.change(1, { time: T0 + 1, ...cleared });
    await lane.demand();
    await lane.kit.advance(60_000);
    expect([lane.works, lane.outcomes]).toEqual([[], []]);
    await lane.tell({ type: 'configure', config });
    expect(lane.works).toHaveLength(1);
    await lane.apply();
    expect(lane.acks).toEqual([1]);
    await lane.tell({ type: 'configure', config: sampleConfig([guarded], { revision: 3 }) });
    await lane.change(2, { time: T0 + 2, entity: { description: 'again' } });
    await lane.demand();
    await lane.apply();
    await lane.change(3, { time: T0 + 3, ...cleared });
    await lane.demand();
    expect(lane.acks).toEqual([1, 2]);
    await lane.tell({ type: 'configure', config: sampleConfig([sampleChannel('other')], { revision: 4 }) });
    await lane.apply();
    expect(lane.statuses()).toContainEqual([3, 'skipped', 'channel removed: docs']);
    expect(lane.acks).toEqual([1, 2, 3]);
  });

  it('what is released while other fields of the asset are written goes on right after them', async () => {
    const lane = world();
    const holding = { paused: new Set<string>(), guarded: new Map([['docs', 0]]) };
    await lane.tell({ type: 'configure', config: sampleConfig([guarded], { revision: 2 }) });
    await lane.tell({ type: 'holds', holds: holding });
    const owner = { id: 'u', type: 'user', name: 'ana' };
    await lane.change(1, {
      time: T0 + 1,
      changes: [
        ['description', 'a', undefined],
        ['owners', undefined, JSON.stringify([owner])],
      ],
      entity: { description: undefined, owners: [owner] },
    });
    await lane.demand();
    expect(lane.works.map((works) => works.flatMap(({ fields }) => fields.map(({ open }) => open.key)))).toEqual([
      ['owners'],
    ]);
    await lane.tell({ type: 'holds', holds: NO_HOLDS });
    await lane.apply();
    await lane.demand();
    expect(lane.works).toHaveLength(2);
    await lane.apply();
    expect(lane.acks).toEqual([1]);
  });
});

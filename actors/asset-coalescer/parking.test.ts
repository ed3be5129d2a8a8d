import { describe, expect, it } from 'vitest';
import { NO_HOLDS } from '../../src/channels/channel-holds.ts';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import { IDENTITY, sampleChannel, sampleConfig, sampleEvent, T0 } from '../../test/support/lane-samples.ts';
import { holdDelivery } from '../channel-matcher/hold-delivery.ts';
import { createActorSystem } from '../kernel/index.ts';
import { createTestKit } from '../kernel/test-kit.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import type { ParkedChange } from '../lane/parking-store.ts';
import { assetCoalescer } from './asset-coalescer.ts';
import type { CoalescerMessage } from './coalescer-messages.ts';

const config = sampleConfig([sampleChannel('docs')]);
const LOCKED = { class: 'transient', scope: 'object', code: 'lock', message: 'locked' } as const;

/** Streams that outlive their lanes. */
function streams() {
  const bodies = new Map<number, string>();
  const last = new Map<string, StoredMessage>();
  const copies = new Map<string, Map<number, ParkedChange>>();
  const outcomes: OutcomeMessage[] = [];
  const acks: number[] = [];
  return {
    bodies,
    last,
    copies,
    outcomes,
    acks,
    /** Sequences of all copies that lie parked. */
    parked: () => [...copies.values()].flatMap((of) => [...of.keys()]).sort((a, b) => a - b),
    statuses: () =>
      outcomes
        .flatMap(({ items, superseded }) => [
          ...items.map(({ sequence, status }) => [sequence, status]),
          ...superseded.map(({ sequence, by }) => [sequence, by]),
        ])
        .sort(([a], [b]) => Number(a) - Number(b)),
  };
}
type Streams = ReturnType<typeof streams>;

/** A coalescer of a lane with 8 credits in virtual time. */
function owner(
  world: Streams,
  options: { readonly epoch?: number; readonly park?: boolean; readonly fence?: number } = {},
) {
  const { bodies, last, copies, outcomes, acks } = world;
  const kit = createTestKit({ startAt: T0 });
  const system = createActorSystem({ clock: kit.clock, random: kit.random, scheduler: kit.scheduler });
  const works: AssetWork[][] = [];
  const progress: { held: number; parked: number }[] = [];
  const { epoch = IDENTITY.epoch, park = true, fence = 0 } = options;
  const nothing = () => undefined;
  const original = (sequence: number): ParkedChange => {
    const data = Buffer.from(bodies.get(sequence) ?? '');
    return { sequence, streamTime: T0, headers: {}, data };
  };
  const ref = system.spawn(
    assetCoalescer({
      identity: { ...IDENTITY, epoch },
      config,
      holds: NO_HOLDS,
      cacheBytes: 1_000_000,
      limits: { messages: 8, bytes: 1_000_000 },
      random: () => 0.5,
      onLost: nothing,
      fenceUntil: fence,
      renderer: { tell: ({ works: given }) => works.push([...given]) > 0 },
      ports: {
        store: {
          lastOutcomes: async (subjects) => new Map([...last].filter(([subject]) => subjects.includes(subject))),
          recordOutcome: async (subject, message) => {
            outcomes.push(message);
            const data = Buffer.from(JSON.stringify(message));
            last.set(subject, { subject, sequence: outcomes.length, time: message.at, headers: {}, data });
            return { kind: 'recorded', sequence: outcomes.length };
          },
          recordBulk: async () => 'recorded',
          settledInBulk: async () => new Set(),
          recordDeadLetter: async () => undefined,
          changeBody: async () => undefined,
          fetchObject: async () => undefined,
          parking: {
            park: async (key, sequences) => {
              const of = copies.get(key) ?? new Map<number, ParkedChange>();
              copies.set(key, of);
              if (park) for (const sequence of sequences) of.set(sequence, original(sequence));
              return park;
            },
            parkedChanges: async (key, sequences) =>
              new Map(
                sequences.flatMap((sequence) => {
                  const change = copies.get(key)?.get(sequence);
                  return change === undefined ? [] : [[sequence, change]];
                }),
              ),
            unpark: async (key, sequences) => {
              for (const sequence of sequences) copies.get(key)?.delete(sequence);
            },
            listParked: async () =>
              new Map([...copies].filter(([, of]) => of.size > 0).map(([key, of]) => [key, [...of.keys()]])),
          },
        },
        connect: () => Promise.reject(new Error('not used')),
        observe: {
          outcome: nothing,
          deadLetter: nothing,
          limiterWait: nothing,
          target: nothing,
          progress: ({ held, parked }) => void progress.push({ held, parked }),
        },
      },
    }),
    { name: 'coalescer' },
  );
  const tell = async (...messages: CoalescerMessage[]): Promise<void> => {
    for (const message of messages) ref.tell(message);
    await kit.settle();
  };
  const answer = (failing: (table: string) => boolean) =>
    tell({
      type: 'results',
      results: new Map(
        works.splice(0).flatMap((batch) =>
          batch.map((work) => [
            work.key,
            work.fields.map(({ open, attempts }) =>
              failing(work.asset.fqn.slice(-2))
                ? ({
                    key: open.key,
                    status: 'retry',
                    statements: [],
                    notes: [],
                    attempts: attempts + 1,
                    failure: LOCKED,
                  } as const)
                : ({ key: open.key, status: 'applied', statements: [], notes: [], attempts: attempts + 1 } as const),
            ),
          ]),
        ),
      ),
    });
  return {
    kit,
    works,
    tell,
    answer,
    progress: () => progress.at(-1),
    /** The description of a table is edited. */
    change: async (sequence: number, table: string, text = `text ${sequence}`) => {
      let open = true;
      const ack = () => {
        if (open) acks.push(sequence);
        open = false;
      };
      const body = sampleEvent({ id: `e${sequence}`, time: T0 + sequence, entity: { description: text } });
      bodies.set(sequence, body.replaceAll('orders', table));
      const held = holdDelivery(
        {
          ...original(sequence),
          subject: '',
          deliveryCount: 1,
          pending: 0,
          ack,
          nak: nothing,
          working: nothing,
        },
        IDENTITY,
        config,
        T0,
      );
      if (held === undefined) throw new Error('the sample is no change');
      await tell({ type: 'changes', changes: [held] });
    },
    /** Everything that is writable is given out, and the target answers. */
    round: async (failing: (table: string) => boolean = () => false) => {
      await tell({ type: 'demand', fields: 100 });
      await answer(failing);
    },
    texts: () =>
      works
        .flat()
        .flatMap(({ asset, fields }) =>
          fields.map(({ write }) => [
            asset.fqn.slice(-2),
            write?.operation.aspect === 'description' ? write.operation.text : undefined,
          ]),
        ),
  };
}

/** Six tables with a change each, all locked: all wait, and half of the credits is four. */
async function sixLocked(world: Streams, options: Parameters<typeof owner>[1] = {}) {
  const lane = owner(world, options);
  for (let i = 1; i <= 6; i += 1) await lane.change(i, `t${i}`);
  await lane.round(() => true);
  await lane.kit.settle();
  return lane;
}

describe('parking', () => {
  it('acknowledges a change of a waiting asset only when its copy lies parked and its state names it', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    expect(world.parked()).toEqual(world.acks);
    expect(world.acks).toHaveLength(2);
    const named = world.outcomes.flatMap(({ state }) => Object.keys(state.parked ?? {}).map(Number));
    expect(named.sort()).toEqual([...world.acks].sort());
    expect(world.outcomes.every(({ items, settles }) => items.length === 0 && settles.length === 0)).toBe(true);
    expect(lane.progress()).toEqual({ held: 6, parked: 2 });
  });

  it('loads it when it is due, and records it like any other', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses()).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => [sequence, 'applied']));
    expect([...world.acks].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(world.parked()).toEqual([]);
    expect(world.outcomes.at(-1)?.state.parked).toBeUndefined();
    expect(lane.progress()).toEqual({ held: 0, parked: 0 });
  });

  it('keeps counting the attempts of what was parked', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    await lane.kit.advance(60_000);
    for (let i = 0; i < 8; i += 1) await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.works.flat().flatMap(({ fields }) => fields.map(({ attempts }) => attempts))).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
  });

  it('merges what comes for a parked asset: one write of the newest text when it is due', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    const [first = 0] = world.acks;
    await lane.change(7, `t${first}`);
    for (let i = 0; i < 8; i += 1) await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.texts()).toEqual([]);
    await lane.kit.advance(60_000);
    expect(lane.texts().filter(([table]) => table === `t${first}`)).toEqual([[`t${first}`, 'text 7']]);
    await lane.answer(() => false);
    await lane.kit.settle();
    expect(world.statuses().filter(([sequence]) => sequence === first || sequence === 7)).toEqual([
      [first, 'e7'],
      [7, 'applied'],
    ]);
  });

  it('acknowledges a parked change that is delivered again, and decides it once', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    const [first = 0] = world.acks;
    await lane.change(first, `t${first}`);
    expect(world.acks.filter((sequence) => sequence === first)).toHaveLength(2);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses().filter(([sequence]) => sequence === first)).toEqual([[first, 'applied']]);
  });

  it('what cannot be copied keeps its credits and loses nothing', async () => {
    const world = streams();
    const lane = await sixLocked(world, { park: false });
    expect([world.acks, world.outcomes]).toEqual([[], []]);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses()).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => [sequence, 'applied']));
  });

  it('the next owner finds what was parked', async () => {
    const world = streams();
    await sixLocked(world);
    const parked = [...world.acks].sort();
    const next = owner(world, { epoch: 9 });
    await next.kit.settle();
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    expect(world.statuses()).toEqual(parked.map((sequence) => [sequence, 'applied']));
    expect(world.parked()).toEqual([]);
  });

  it('copies that no state names are removed by the next owner, but not while a late outcome may still name them', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    const settled = world.statuses();
    const [key = ''] = world.copies.keys();
    world.copies
      .get(key)
      ?.set(1, { sequence: 1, streamTime: T0, headers: {}, data: Buffer.from(world.bodies.get(1) ?? '') });
    const next = owner(world, { epoch: 9, fence: T0 + 30_000 });
    await next.kit.advance(20_000);
    expect(world.parked()).toEqual([1]);
    await next.kit.advance(20_000);
    expect(world.parked()).toEqual([]);
    await next.round();
    expect(world.statuses()).toEqual(settled);
  });

  it('a parked change that is gone from everywhere ends with a reason', async () => {
    const world = streams();
    await sixLocked(world);
    const [first = 0, second = 0] = world.acks;
    for (const copies of world.copies.values()) copies.delete(first);
    const next = owner(world, { epoch: 9 });
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    // Nothing leads to the first one any more until something comes for its asset.
    expect(world.statuses()).toEqual([[second, 'applied']]);
    await next.change(20, `t${first}`);
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    expect(world.statuses()).toEqual(
      [
        [first, 'skipped'],
        [second, 'applied'],
        [20, 'applied'],
      ].sort(([a], [b]) => Number(a) - Number(b)),
    );
  });

  it('what a paused channel holds back is parked like what is tried again, and all of it is written when it is resumed', async () => {
    const world = streams();
    const lane = owner(world);
    await lane.tell({ type: 'holds', holds: { paused: new Set(['docs']), guarded: new Map() } });
    for (let i = 1; i <= 6; i += 1) await lane.change(i, `t${i}`);
    await lane.round();
    await lane.kit.settle();
    expect([world.parked().length, world.acks.length, lane.progress()]).toEqual([2, 2, { held: 6, parked: 2 }]);
    // A newer text of one that is parked, and of one that is not.
    const [parked = 0] = world.parked();
    const inHand = [1, 2, 3, 4, 5, 6].find((sequence) => !world.parked().includes(sequence)) ?? 0;
    await lane.change(7, `t${parked}`, 'newer');
    await lane.change(8, `t${inHand}`, 'newer');
    await lane.round();
    await lane.kit.advance(10 * 60_000);
    expect(world.statuses()).toEqual([]);
    await lane.tell({ type: 'holds', holds: NO_HOLDS });
    for (let i = 0; i < 5; i += 1) {
      await lane.round();
      await lane.kit.advance(1_000);
    }
    const expected = [1, 2, 3, 4, 5, 6, 7, 8].map((sequence) => {
      if (sequence === parked) return [sequence, 'e7'];
      return [sequence, sequence === inHand ? 'e8' : 'applied'];
    });
    expect(world.statuses()).toEqual(expected);
    expect([...world.acks].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([world.parked(), lane.progress()]).toEqual([[], { held: 0, parked: 0 }]);
  });
});

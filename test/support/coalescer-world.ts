import { assetCoalescer } from '../../actors/asset-coalescer/asset-coalescer.ts';
import type { CoalescerMessage } from '../../actors/asset-coalescer/coalescer-messages.ts';
import { holdDelivery } from '../../actors/channel-matcher/hold-delivery.ts';
import { createActorSystem } from '../../actors/kernel/index.ts';
import { createTestKit } from '../../actors/kernel/test-kit.ts';
import type { AssetWork } from '../../actors/lane/asset-work.ts';
import type { HeldChange } from '../../actors/lane/held-change.ts';
import type { ParkedChange } from '../../actors/lane/parking-store.ts';
import { NO_HOLDS } from '../../src/channels/channel-holds.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import { idleObserver, idleStore } from './idle-lane.ts';
import { IDENTITY, type SampleEvent, sampleChannel, sampleConfig, sampleEvent, T0 } from './lane-samples.ts';

const DOCS = sampleConfig([sampleChannel('docs')]);
const LOCKED = { class: 'transient', scope: 'object', code: 'lock', message: 'locked' } as const;

/** Streams that outlive their lanes. */
export function streams() {
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
export type Streams = ReturnType<typeof streams>;

/** Whether a field of a table (by the last two characters of its name) is locked. */
type Failing = (table: string, key: string) => boolean;

/** A coalescer of a lane with 8 credits in virtual time, whose target is played by the test. */
export function owner(
  world: Streams,
  options: {
    readonly config?: CompiledConfig;
    readonly cacheBytes?: number;
    readonly epoch?: number;
    readonly park?: boolean;
    readonly fence?: number;
    readonly ackFloor?: number;
    /** What the stream does before it gives the states asked for. */
    readonly onStates?: (subjects: readonly string[]) => Promise<void>;
  } = {},
) {
  const { bodies, last, copies, outcomes, acks } = world;
  const kit = createTestKit({ startAt: T0 });
  const system = createActorSystem({ clock: kit.clock, random: kit.random, scheduler: kit.scheduler });
  const works: AssetWork[][] = [];
  const progress: { held: number; parked: number }[] = [];
  const {
    config = DOCS,
    cacheBytes = 1_000_000,
    epoch = IDENTITY.epoch,
    park = true,
    fence = 0,
    ackFloor = 0,
  } = options;
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
      cacheBytes,
      limits: { messages: 8, bytes: 1_000_000 },
      random: () => 0.5,
      onLost: nothing,
      fenceUntil: fence,
      renderer: { tell: ({ works: given }) => works.push([...given]) > 0 },
      ports: {
        store: {
          lastOutcomes: async (subjects) => {
            await options.onStates?.(subjects);
            return new Map([...last].filter(([subject]) => subjects.includes(subject)));
          },
          recordOutcome: async (subject, message) => {
            outcomes.push(message);
            const data = Buffer.from(JSON.stringify(message));
            last.set(subject, { subject, sequence: outcomes.length, time: message.at, headers: {}, data });
            return { kind: 'recorded', sequence: outcomes.length };
          },
          ...idleStore,
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
        ackFloor: () => ackFloor,
        observe: { ...idleObserver, progress: ({ held, parked }) => void progress.push({ held, parked }) },
      },
    }),
    { name: 'coalescer' },
  );
  const tell = async (...messages: CoalescerMessage[]): Promise<void> => {
    for (const message of messages) ref.tell(message);
    await kit.settle();
  };
  const answer = (failing: Failing) =>
    tell({
      type: 'results',
      results: new Map(
        works.splice(0).flatMap((batch) =>
          batch.map((work) => [
            work.key,
            work.fields.map(({ open, attempts }) =>
              failing(work.asset.fqn.slice(-2), open.key)
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
  const hold = (sequence: number, table: string, event: SampleEvent = {}): HeldChange => {
    let open = true;
    const ack = () => {
      if (open) acks.push(sequence);
      open = false;
    };
    const entity = { description: `text ${sequence}`, ...event.entity };
    const body = sampleEvent({ id: `e${sequence}`, time: T0 + sequence, ...event, entity });
    bodies.set(sequence, body.replaceAll('orders', table));
    const handles = { ack, nak: nothing };
    const delivery = { ...original(sequence), subject: '', deliveryCount: 1, pending: 0, ...handles };
    const held = holdDelivery(delivery, IDENTITY, config, T0);
    if (held === undefined) throw new Error('the sample is no change');
    return held;
  };
  return {
    kit,
    works,
    tell,
    answer,
    progress: () => progress.at(-1),
    hold,
    /** The description of a table is edited, or what the event says. */
    change: (sequence: number, table: string, event: SampleEvent = {}) =>
      tell({ type: 'changes', changes: [hold(sequence, table, event)] }),
    /** Everything that is writable is given out, and the target answers. */
    round: async (failing: Failing = () => false) => {
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

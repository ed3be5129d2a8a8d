import { describe, expect, it } from 'vitest';
import type { BulkOutcomeMessage, DeadLetter, OutcomeMessage } from '../../src/domain/outcome.ts';
import { changeSubject, outcomeSubject } from '../../src/domain/subjects.ts';
import type { Delivery, StoredMessage } from '../../streams/nats/contract.ts';
import {
  IDENTITY,
  sampleChannel,
  sampleConfig,
  sampleEvent,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import type { CoalescerMessage } from '../asset-coalescer/coalescer-messages.ts';
import { createActorSystem } from '../kernel/index.ts';
import { createTestKit } from '../kernel/test-kit.ts';
import type { SuspectNotes } from '../lane/suspects.ts';
import { channelMatcher } from './channel-matcher.ts';

const config = sampleConfig([sampleChannel('docs')]);
const { asset, key } = sampleHeld(1, {}, config);

/** A matcher whose coalescer is played by the test; `log` tells everything in its order. */
function world(options: { readonly notes?: SuspectNotes; readonly settled?: number[]; readonly fence?: number } = {}) {
  const kit = createTestKit({ startAt: T0 });
  const system = createActorSystem({ clock: kit.clock, random: kit.random, scheduler: kit.scheduler });
  const log: string[] = [];
  const letters: DeadLetter[] = [];
  const bulk: BulkOutcomeMessage[] = [];
  let answers = true;
  let recorded: StoredMessage | undefined;
  let notes = options.notes ?? { deaths: {} };
  const nothing = () => undefined;
  const unused = async (): Promise<never> => Promise.reject(new Error('not used'));
  const stored = (): ReadonlyMap<string, StoredMessage> => {
    if (options.settled === undefined) return new Map();
    const message: OutcomeMessage = {
      v: 1,
      id: 'x',
      target: TARGET,
      asset: { ...asset, key },
      at: T0,
      lane: 'l',
      epoch: 1,
      configRevision: 1,
      items: [],
      superseded: [],
      settles: options.settled,
      state: { v: 1, fields: {}, recent: [], settled: options.settled },
    };
    const subject = outcomeSubject(TARGET, key);
    const data = Buffer.from(JSON.stringify(message));
    return new Map([[subject, recorded ?? { subject, sequence: 1, time: T0, headers: {}, data }]]);
  };
  const coalescer = {
    offer: async (message: CoalescerMessage) => {
      const sequences =
        message.type === 'changes'
          ? message.changes.map(({ received }) => received.sequence)
          : message.type === 'alone'
            ? [message.change.received.sequence]
            : [];
      log.push([message.type, ...sequences].join(' '));
      if (message.type === 'quiesce' && answers) message.replyTo.tell('quiet');
      if (message.type === 'alone' && answers) message.replyTo.tell('ended');
    },
  };
  const ref = system.spawn(
    channelMatcher({
      identity: IDENTITY,
      config,
      coalescer,
      largeBytes: 1_000,
      aloneAfter: 20,
      fenceUntil: options.fence ?? 0,
      onLost: nothing,
      ports: {
        store: {
          lastOutcomes: async () => stored(),
          recordOutcome: async (subject, message, expected) => {
            if (expected !== 1) return { kind: 'outdated' };
            recorded = { subject, sequence: 2, time: T0, headers: {}, data: Buffer.from(JSON.stringify(message)) };
            log.push(
              `outcome of epoch ${message.epoch} with ${message.items.length} items, settles ${message.settles}`,
            );
            return { kind: 'recorded', sequence: 2 };
          },
          recordBulk: async (message) => {
            log.push('bulk');
            bulk.push(message);
            return 'recorded';
          },
          settledInBulk: async () => new Set(bulk.flatMap(({ settles }) => settles)),
          recordDeadLetter: async (letter) => void letters.push(letter),
          changeBody: unused,
          fetchObject: unused,
          parking: { park: unused, parkedChanges: unused, unpark: unused, listParked: unused },
        },
        suspects: {
          read: async () => notes,
          write: async (next) => {
            notes = next;
            log.push(`note ${JSON.stringify(next)}`);
          },
        },
        connect: unused,
        observe: { outcome: nothing, deadLetter: nothing, limiterWait: nothing, target: nothing, progress: nothing },
      },
    }),
    { name: 'matcher' },
  );
  const delivery = (sequence: number, deliveryCount: number, body = sampleEvent({ id: `e${sequence}` })): Delivery => ({
    subject: changeSubject(TARGET, asset),
    sequence,
    deliveryCount,
    streamTime: T0,
    headers: { 'Nats-Msg-Id': `e${sequence}` },
    data: Buffer.from(body),
    pending: 0,
    ack: () => void log.push(`ack ${sequence}`),
    nak: (ms) => void log.push(`nak ${sequence} ${ms}`),
  });
  return {
    kit,
    log,
    letters,
    bulk,
    ref,
    notes: () => notes,
    dies: () => {
      answers = false;
    },
    deliver: async (...deliveries: readonly (readonly [sequence: number, count: number, body?: string])[]) => {
      ref.tell({ type: 'deliveries', deliveries: deliveries.map((one) => delivery(...one)) });
      await kit.settle();
    },
  };
}

describe('a change that is delivered again and again', () => {
  it('is handled alone from the twentieth delivery on, noted before and not after; the others go on as ever', async () => {
    const lane = world();
    await lane.deliver([1, 19], [2, 20], [3, 1]);
    expect(lane.log).toEqual([
      'changes 1 3',
      'quiesce',
      'note {"deaths":{},"running":2}',
      'alone 2',
      'note {"deaths":{}}',
      'resume',
    ]);
  });

  it('P4 is dead-lettered, unread, when three owners in turn died on it', async () => {
    let notes: SuspectNotes = { deaths: {} };
    for (let owner = 1; owner <= 3; owner += 1) {
      const lane = world({ notes });
      lane.dies();
      // From the second owner on the note alone is enough, however often the change was delivered.
      await lane.deliver([7, owner === 1 ? 20 : 1]);
      expect(lane.log.at(-1)).toBe('quiesce');
      notes = { ...lane.notes(), running: 7 };
    }
    const last = world({ notes });
    await last.deliver([7, 24, 'whatever kills'], [8, 2]);
    expect(last.log).toEqual(['note {"deaths":{"7":3}}', 'changes 8', 'bulk', 'ack 7', 'note {"deaths":{}}']);
    expect(last.bulk.flatMap(({ items, settles }) => [items, settles])).toMatchObject([
      [{ sequence: 7, eventId: 'e7', status: 'failed', failure: { class: 'invalid', code: 'killed-its-owners' } }],
      [7],
    ]);
    expect(last.letters).toMatchObject([{ sequence: 7, eventId: 'e7', body: 'whatever kills' }]);
  });

  it('is only acknowledged when an outcome has settled it before its owner died', async () => {
    const lane = world({ notes: { deaths: { 7: 3 } }, settled: [7] });
    await lane.deliver([7, 24]);
    expect(lane.log).toEqual(['ack 7', 'note {"deaths":{}}']);
    expect([lane.bulk, lane.letters]).toEqual([[], []]);
  });

  it('that was given up, and comes once more since its acknowledgement was lost, is only acknowledged', async () => {
    const lane = world({ notes: { deaths: { 7: 3 } } });
    await lane.deliver([7, 24]);
    expect(lane.log).toEqual(['bulk', 'ack 7', 'note {"deaths":{}}']);
    await lane.deliver([7, 25]);
    expect(lane.log.slice(3)).toEqual(['ack 7']);
  });

  it('is given up only after outcomes of earlier owners of its asset are refused', async () => {
    const lane = world({ notes: { deaths: { 7: 3 } }, settled: [6] });
    await lane.deliver([7, 24]);
    expect(lane.log).toEqual(['outcome of epoch 3 with 0 items, settles ', 'bulk', 'ack 7', 'note {"deaths":{}}']);
  });

  it('is not given up while a late outcome of the owner before may still come', async () => {
    const lane = world({ notes: { deaths: { 7: 3 } }, fence: T0 + 5_000 });
    await lane.deliver([7, 24]);
    expect(lane.log).toEqual(['nak 7 5000']);
    expect(lane.notes()).toEqual({ deaths: { 7: 3 } });
  });

  it('counts no death when its lane ends in order', async () => {
    const lane = world({ notes: { deaths: { 7: 1 } } });
    lane.dies();
    await lane.deliver([7, 24]);
    const ended = lane.ref.stop();
    await lane.kit.settle();
    await ended;
    expect(lane.notes()).toEqual({ deaths: { 7: 1 } });
  });
});

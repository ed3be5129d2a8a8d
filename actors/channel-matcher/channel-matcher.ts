import { randomUUID } from 'node:crypto';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import { isLargeEvent } from '../../src/domain/large-event.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import type { LaneIdentity } from '../asset-coalescer/close-work.ts';
import type { CoalescerMessage } from '../asset-coalescer/coalescer-messages.ts';
import type { ActorRef } from '../kernel/actor-ref.ts';
import type { Behavior } from '../kernel/behavior.ts';
import { withoutBody } from '../lane/deliveries-in-hand.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LanePorts } from '../lane/lane-ports.ts';
import { startStage } from '../lane/stage-spans.ts';
import { wholeTime } from '../lane/whole-time.ts';
import { configurationAlone } from './configuration-alone.ts';
import { holdDelivery, isForOthers } from './hold-delivery.ts';
import { LargeEvents } from './large-events.ts';
import { settledOrFenced } from './settled-or-fenced.ts';
import { type BulkPart, type SettledAlone, splitBulk } from './split-bulk.ts';
import { Suspects } from './suspect-changes.ts';
import { EVENT_GONE, KILLED, UNREADABLE, type Unreadable, unreadableItem, unreadableLetter } from './unreadable.ts';

export type MatcherMessage =
  | { readonly type: 'deliveries'; readonly deliveries: readonly Delivery[] }
  /** A large event whose body is no longer in the stream. */
  | { readonly type: 'gone'; readonly delivery: Delivery }
  | { readonly type: 'configure'; readonly config: CompiledConfig };

export interface MatcherOptions {
  readonly identity: LaneIdentity;
  readonly config: CompiledConfig;
  readonly ports: LanePorts;
  readonly coalescer: Pick<ActorRef<CoalescerMessage>, 'offer'>;
  /** Deliveries from which on a change is handled alone. */
  readonly aloneAfter: number;
  /** See `CoalescerOptions`. */
  readonly fenceUntil: number;
  /** Bytes of large events that may be in hand at once. */
  readonly largeBytes: number;
  /** The lane was lost to a newer owner. */
  readonly onLost: () => void;
}

/** What the matcher keeps between two messages. */
interface State {
  readonly config: CompiledConfig;
  readonly large: LargeEvents;
  readonly suspects: Suspects | undefined;
}

/** A change, and the items that the configuration alone decides of it; undefined when it cannot be read. Never throws. */
function readChange(delivery: Delivery, identity: LaneIdentity, config: CompiledConfig, now: number) {
  let held: HeldChange | undefined;
  try {
    held = holdDelivery(delivery, identity, config, now);
    return held === undefined ? undefined : { held, items: configurationAlone(held, identity.target, config, now) };
  } catch {
    // A mistake of ours that one change brings out must not hold up the others.
    held?.span.end();
    return undefined;
  }
}

/**
 * First stage of a lane: parses what was pulled and separates the changes that the configuration alone decides (no channel of the
 * target manages their entity type and touched aspects), which are settled in bulk, from those that go to their asset.
 */
export function channelMatcher(options: MatcherOptions): Behavior<State, MatcherMessage> {
  const { identity, ports } = options;

  /** The deliveries parted by who decides them. What is for others is acknowledged here. */
  async function part(deliveries: readonly Delivery[], { config, large, suspects }: State, now: number) {
    const changes: HeldChange[] = [];
    const alone: SettledAlone[] = [];
    const suspected: Delivery[] = [];
    for (const delivery of deliveries) {
      if (isForOthers(delivery, identity.target)) {
        delivery.ack();
        continue;
      }
      if (isLargeEvent(delivery.headers)) {
        large.take(delivery);
        continue;
      }
      if (suspects !== undefined && suspects.judge(delivery) !== 'none') {
        suspected.push(delivery);
        continue;
      }
      const read = readChange(delivery, identity, config, now);
      if (read === undefined) {
        alone.push(await unreadable(delivery, UNREADABLE, now));
        continue;
      }
      const { held, items } = read;
      if (items === undefined) changes.push(held);
      else alone.push({ delivery: held.delivery, items, held, span: held.span });
    }
    return { changes, alone, suspected };
  }

  /** See `Suspects`. */
  async function handleSuspect(delivery: Delivery, state: State, suspects: Suspects, now: number): Promise<void> {
    const { sequence } = delivery;
    if (suspects.judge(delivery) === 'given-up') {
      // What the owner before has decided of it may still come in; an asset without any outcome cannot be closed against that.
      if (now < options.fenceUntil) {
        delivery.nak(options.fenceUntil - now);
        return;
      }
      const settled = await settledOrFenced(delivery, identity, ports.store, now);
      if (settled === 'lost') return options.onLost();
      if (settled) delivery.ack();
      else if (!(await record([await unreadable(delivery, KILLED, now)], state.config, now))) return;
      await suspects.forget(sequence);
      return;
    }
    // It was given up before, and only its acknowledgement was lost.
    if ((await ports.store.settledInBulk([sequence], delivery.streamTime)).has(sequence)) {
      delivery.ack();
      return;
    }
    if (!(await suspects.enter(sequence))) return;
    const { changes, alone } = await part([delivery], { ...state, suspects: undefined }, now);
    const [change] = changes;
    const survived = change === undefined ? await record(alone, state.config, now) : await suspects.handle(change);
    await suspects.leave(sequence, survived);
  }

  /** False: the lane is lost. */
  async function record(alone: readonly SettledAlone[], config: CompiledConfig, now: number): Promise<boolean> {
    for (const bulk of splitBulk(await withoutRecorded(alone))) {
      if (await recordPart(bulk, config, now)) continue;
      for (const { span } of alone) span?.end();
      options.onLost();
      return false;
    }
    return true;
  }

  async function unreadable(delivery: Delivery, failure: Unreadable, now: number): Promise<SettledAlone> {
    await ports.store.recordDeadLetter(unreadableLetter(identity.target, delivery, failure, now));
    return { delivery: withoutBody(delivery), items: [unreadableItem(delivery, failure)] };
  }

  /** What was recorded before and is delivered again (the ack was lost, or the owner) is only acknowledged. */
  async function withoutRecorded(alone: readonly SettledAlone[]): Promise<readonly SettledAlone[]> {
    const again = alone.filter(({ delivery }) => delivery.deliveryCount > 1).map(({ delivery }) => delivery);
    if (again.length === 0) return alone;
    const since = Math.min(...again.map(({ streamTime }) => streamTime));
    const recorded = await ports.store.settledInBulk(
      again.map(({ sequence }) => sequence),
      since,
    );
    return alone.filter(({ delivery, span }) => {
      if (!recorded.has(delivery.sequence)) return true;
      delivery.ack();
      span?.end();
      return false;
    });
  }

  async function recordPart({ items, settles }: BulkPart, config: CompiledConfig, now: number): Promise<boolean> {
    const spans = settles.flatMap(({ held }) =>
      held === undefined
        ? []
        : [startStage('outcome', held.trace, { attributes: { 'backflow.status': 'skipped' } }).span],
    );
    try {
      const answer = await ports.store.recordBulk({
        v: 1,
        id: randomUUID(),
        target: identity.target,
        at: now,
        lane: identity.lane,
        configRevision: config.revision,
        items,
        settles: settles.map(({ delivery }) => delivery.sequence),
      });
      if (answer === 'lost') return false;
    } finally {
      for (const span of spans) span.end();
    }
    for (const { delivery, span } of settles) {
      delivery.ack();
      span?.end();
    }
    for (const item of items) ports.observe.outcome(undefined, item.status, undefined);
    return true;
  }

  return {
    start: async (ctx) => ({
      config: options.config,
      suspects:
        ports.suspects === undefined
          ? undefined
          : await Suspects.begin(ports.suspects, options.coalescer, options.aloneAfter, ctx.signal),
      large: new LargeEvents({
        fetch: (object) => ports.store.fetchObject('event', object),
        maxBytes: options.largeBytes,
        fetched: (delivery, found) =>
          void ctx.self
            .offer(found ? { type: 'deliveries', deliveries: [delivery] } : { type: 'gone', delivery })
            .catch(() => undefined),
      }),
    }),
    async receive(state, message, ctx) {
      const { config } = state;
      if (message.type === 'configure') return { ...state, config: message.config };
      const now = wholeTime(ctx.clock);
      const { changes, alone, suspected } =
        message.type === 'gone'
          ? { changes: [], alone: [await unreadable(message.delivery, EVENT_GONE, now)], suspected: [] }
          : await part(message.deliveries, state, now);
      try {
        if (changes.length > 0) await options.coalescer.offer({ type: 'changes', changes });
      } catch (error) {
        for (const { span } of changes) span.end();
        throw error;
      }
      await record(alone, config, now);
      if (state.suspects !== undefined)
        for (const delivery of suspected) await handleSuspect(delivery, state, state.suspects, now);
      return state;
    },
  };
}

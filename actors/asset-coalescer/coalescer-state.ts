import type { ChannelHolds } from '../../src/channels/channel-holds.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { Recipient } from '../kernel/actor-ref.ts';
import type { Timer } from '../kernel/scheduling.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LaneObserver } from '../lane/lane-ports.ts';
import type { Round } from '../outcome-recorder/record-round.ts';
import { AssetCache } from './asset-cache.ts';
import type { AssetEntry } from './asset-entry.ts';
import type { CoalescerOptions, DrainAnswer } from './coalescer-messages.ts';
import { countHeld } from './held-fields.ts';
import { ParkingLot } from './parking-lot.ts';
import type { Solo } from './solo-state.ts';
import { WorkQueue } from './work-queue.ts';

/** What a coalescer holds between two messages. */
export interface CoalescerState {
  /** Stores a round; a `recorded` message tells what came of it. */
  readonly record: (round: Round, tries: number) => void;
  config: CompiledConfig;
  holds: ChannelHolds;
  /** Assets with fields that wait for a person. */
  readonly holding: Map<AssetKey, AssetEntry>;
  /** `holding`, or what its assets hold, is not what was last told. */
  holdingChanged: boolean;
  readonly cache: AssetCache;
  readonly queue: WorkQueue;
  readonly lot: ParkingLot;
  /** Nothing is parked before this time (epoch milliseconds): it did not work lately. */
  parkAgainAt: number;
  readonly dispatched: Map<AssetKey, AssetWork>;
  /** Sequences held, oldest first, with the time at which intake accepted them (epoch milliseconds). */
  readonly held: Map<number, number>;
  /** Fields asked for by the dispatcher and not yet given, one number for each batch. */
  readonly demands: number[];
  reading: number;
  /** Changes whose asset's state is being fetched, or will be with the next request. */
  readonly awaiting: Map<AssetKey, HeldChange[]>;
  /** A request for states is under way. */
  loading: boolean;
  /** When the present turn began, epoch milliseconds. */
  now: number;
  /** One change is handled and nothing else. */
  solo: Solo | undefined;
  alarm: { readonly at: number; readonly timer: Timer } | undefined;
  /** `draining`: gives out nothing, waits for what is under way; `closed`: takes nothing either. */
  phase: 'open' | 'draining' | 'closed' | 'lost';
  drained: Recipient<DrainAnswer> | undefined;
}

export function newState(
  { config, holds, cacheBytes, limits }: Pick<CoalescerOptions, 'config' | 'holds' | 'cacheBytes' | 'limits'>,
  record: CoalescerState['record'],
): CoalescerState {
  return {
    record,
    config,
    holds,
    holding: new Map(),
    holdingChanged: false,
    cache: new AssetCache(cacheBytes),
    queue: new WorkQueue(),
    lot: new ParkingLot(limits),
    parkAgainAt: 0,
    dispatched: new Map(),
    held: new Map(),
    demands: [],
    reading: 0,
    awaiting: new Map(),
    loading: false,
    now: 0,
    solo: undefined,
    alarm: undefined,
    phase: 'open',
    drained: undefined,
  };
}

/** What the lane tells about itself after each turn. */
export function progressOf({ held, lot }: CoalescerState): {
  readonly held: number;
  readonly oldestHeldAt: number | undefined;
  readonly parked: number;
} {
  const [first] = held.values();
  const { oldestAt = first } = lot;
  const oldestHeldAt = first === undefined || oldestAt === undefined ? oldestAt : Math.min(first, oldestAt);
  return { held: held.size + lot.changes, oldestHeldAt, parked: lot.changes };
}

/** Call when what an asset holds for a person may have changed. */
export function noteHolding(state: CoalescerState, entry: AssetEntry): void {
  if (entry.holds.size === 0 && !state.holding.delete(entry.key)) return;
  if (entry.holds.size > 0) state.holding.set(entry.key, entry);
  state.holdingChanged = true;
}

/** Tells how much waits for a person, when that has changed since it was last told. */
export function tellHeld(state: CoalescerState, observe: Pick<LaneObserver, 'held'>): void {
  if (!state.holdingChanged) return;
  state.holdingChanged = false;
  observe.held?.(countHeld([...state.holding.values(), ...state.lot.holders()]));
}

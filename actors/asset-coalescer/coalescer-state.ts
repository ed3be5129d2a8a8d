import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { Recipient } from '../kernel/actor-ref.ts';
import type { Timer } from '../kernel/scheduling.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import { AssetCache } from './asset-cache.ts';
import type { DrainAnswer } from './coalescer-messages.ts';
import { WorkQueue } from './work-queue.ts';

/** What a coalescer holds between two messages. */
export interface CoalescerState {
  config: CompiledConfig;
  readonly cache: AssetCache;
  readonly queue: WorkQueue;
  readonly dispatched: Map<AssetKey, AssetWork>;
  /** Sequences held, oldest first, with the time at which intake accepted them (epoch milliseconds). */
  readonly held: Map<number, number>;
  /** Fields asked for by the dispatcher and not yet given, one number for each batch. */
  readonly demands: number[];
  reading: number;
  alarm: { readonly at: number; readonly timer: Timer } | undefined;
  /** `draining`: gives out nothing, waits for what is under way; `closed`: takes nothing either. */
  phase: 'open' | 'draining' | 'closed' | 'lost';
  drained: Recipient<DrainAnswer> | undefined;
}

export function newState(config: CompiledConfig, cacheBytes: number): CoalescerState {
  return {
    config,
    cache: new AssetCache(cacheBytes),
    queue: new WorkQueue(),
    dispatched: new Map(),
    held: new Map(),
    demands: [],
    reading: 0,
    alarm: undefined,
    phase: 'open',
    drained: undefined,
  };
}

import type { ChannelHolds } from '../../src/channels/channel-holds.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { CatalogueAnswer } from '../../src/domain/catalogue-reader.ts';
import type { CreditLimits, StoredMessage } from '../../streams/nats/contract.ts';
import type { Recipient } from '../kernel/actor-ref.ts';
import type { AssetWork, FieldResult } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LanePorts } from '../lane/lane-ports.ts';
import type { ParkedChange } from '../lane/parking-store.ts';
import type { RecordedRound } from '../outcome-recorder/record-together.ts';
import type { LaneIdentity } from './close-work.ts';
import type { SoloAnswer } from './solo-state.ts';

export type CoalescerMessage =
  | { readonly type: 'changes'; readonly changes: readonly HeldChange[] }
  /** States that were asked for have come (last outcome messages by subject), or could not be had within the lane's life. */
  | {
      readonly type: 'states';
      readonly keys: readonly AssetKey[];
      readonly stored?: ReadonlyMap<string, StoredMessage>;
      readonly error?: unknown;
    }
  /** The dispatcher can take a batch of so many fields. */
  | { readonly type: 'demand'; readonly fields: number }
  | { readonly type: 'results'; readonly results: ReadonlyMap<AssetKey, readonly FieldResult[]> }
  /** The target failed as a whole: the work is open again. */
  | { readonly type: 'returned'; readonly keys: readonly AssetKey[] }
  | { readonly type: 'recorded'; readonly ended: readonly RecordedRound[] }
  | { readonly type: 'catalogue'; readonly key: AssetKey; readonly answer: CatalogueAnswer }
  | { readonly type: 'wake' }
  /** See `Solo`. */
  | { readonly type: 'quiesce'; readonly replyTo: Recipient<SoloAnswer> }
  | { readonly type: 'alone'; readonly change: HeldChange; readonly replyTo: Recipient<SoloAnswer> }
  | { readonly type: 'resume' }
  | { readonly type: 'list-parked' }
  /** `found` absent: the store could not be asked. */
  | {
      readonly type: 'parked-listed';
      readonly found?: ReadonlyMap<AssetKey, readonly number[]>;
      readonly startedAt: number;
    }
  /** Copies of these changes are made; none: it did not work. */
  | { readonly type: 'copied'; readonly key: AssetKey; readonly sequences: readonly number[] }
  | {
      readonly type: 'parked-loaded';
      readonly key: AssetKey;
      readonly sequences: readonly number[];
      readonly changes?: ReadonlyMap<number, ParkedChange>;
    }
  | { readonly type: 'configure'; readonly config: CompiledConfig }
  | { readonly type: 'holds'; readonly holds: ChannelHolds }
  | { readonly type: 'drain'; readonly replyTo: Recipient<DrainAnswer> };

/** How many changes were given back to the stream, undecided. */
export interface DrainAnswer {
  readonly returned: number;
}

export interface CoalescerOptions {
  readonly identity: LaneIdentity;
  readonly config: CompiledConfig;
  readonly holds: ChannelHolds;
  readonly ports: LanePorts;
  /** The lane's credits: waiting assets hold at most half of them, the rest of theirs is parked. */
  readonly limits: CreditLimits;
  /** Bound of the resident assets' states, in bytes. */
  readonly cacheBytes: number;
  readonly renderer: { tell(msg: { readonly type: 'work'; readonly works: readonly AssetWork[] }): boolean };
  /** The lane was lost to a newer owner. */
  readonly onLost: () => void;
  readonly random: () => number;
  /**
   * Until then (epoch milliseconds) outcomes of the owner before may still come in: before the first write of an asset an outcome
   * without items is stored, after which they are refused. Without it the newest value could be overwritten by an older one whose
   * successor is settled by such a late outcome. 0: the lane was handed over in order.
   */
  readonly fenceUntil: number;
}

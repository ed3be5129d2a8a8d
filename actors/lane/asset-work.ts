import type { Channel } from '../../src/channels/channel.ts';
import type { Asset, AssetKey } from '../../src/domain/asset.ts';
import type { FieldKey } from '../../src/domain/entity.ts';
import type { Failure } from '../../src/domain/failure.ts';
import type { OpenField, Settlement, Touch } from '../../src/domain/ledger.ts';
import type { Operation } from '../../src/domain/operation.ts';
import type { Verified } from '../../src/domain/outcome.ts';
import type { HeldChange } from './held-change.ts';

/**
 * What one channel makes of one open field. `winner` is the newest touch that concerns the channel: its key gets the verdict,
 * the keys of the `losers` end `superseded` by it.
 */
export interface ChannelVerdict {
  /** Absent where no channel of the target manages the field. */
  readonly channel?: string;
  readonly winner: Touch;
  readonly losers: readonly Touch[];
  readonly verdict:
    | { readonly kind: 'writes' }
    | { readonly kind: 'skipped'; readonly reason: string }
    | { readonly kind: 'superseded'; readonly by: string }
    /** The decision itself went wrong, for this field alone. */
    | { readonly kind: 'failed'; readonly failure: Failure };
}

/** What shall be true of the field in the source, and the channel that says so. */
export interface FieldWrite {
  readonly channel: Channel;
  readonly operation: Operation;
  /** Statements of the channel's template, rendered; absent: the connector's own plan. */
  readonly template?: readonly string[];
  readonly notes: readonly string[];
}

/** One field of an asset, decided as far as the catalogue's side goes. */
export interface FieldWork {
  readonly open: OpenField;
  readonly object: string;
  readonly verdicts: readonly ChannelVerdict[];
  readonly write?: FieldWrite;
  readonly settlement: Settlement;
  readonly decidedBy?: 'snapshot' | 'catalogue';
  /** Of tags: what may stand in the source by our doing, before this is written. */
  readonly mayStand?: readonly string[];
  /** Hash of what was last written to the source by us, for channels whose equality rests on it. */
  readonly lastWritten?: string;
  /** Writes tried so far. */
  readonly attempts: number;
  /** Epoch milliseconds of the first of them. */
  readonly firstAttemptAt?: number;
}

/** All open fields of one asset, taken together: they end in one outcome message. */
export interface AssetWork {
  readonly asset: Asset;
  readonly key: AssetKey;
  readonly fields: readonly FieldWork[];
  /** The changes whose touches the fields hold, by sequence. */
  readonly changes: ReadonlyMap<number, HeldChange>;
}

/**
 * What came of a field's write. `retry`: an object fault that another attempt may cure; `held`: the guard of its channel lets nothing
 * be cleared now, and nothing was sent.
 */
export interface FieldResult {
  readonly key: FieldKey;
  readonly status: 'applied' | 'unchanged' | 'observed' | 'skipped' | 'failed' | 'retry' | 'held';
  readonly reason?: string;
  readonly before?: string;
  readonly after?: string;
  readonly statements: readonly string[];
  readonly notes: readonly string[];
  readonly verified?: Verified;
  readonly attempts: number;
  readonly failure?: Failure;
  /** Tags that are now applied by us, as `key=value`. */
  readonly tags?: readonly string[];
}

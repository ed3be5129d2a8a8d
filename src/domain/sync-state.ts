import type { FieldKey } from './entity.ts';
import type { Rank } from './rank.ts';

/** What is known of one settled field. */
export interface SettledField {
  readonly rank: Rank;
  /** Hash of the value that the decision was made from (`valueHash`); absent where the value is unknown. */
  readonly hash?: string;
  /** Tags that were applied to the source by us, as `key=value`. */
  readonly tags?: readonly string[];
  /** Hash of what was last written to the source; absent where nothing was ever written. */
  readonly written?: string;
}

/** One of the newest changes of the asset, kept to recognise duplicates and what an undo takes back. */
export interface RecentChange {
  readonly eventId: string;
  readonly entityId: string;
  readonly currentVersion: number;
  readonly previousVersion?: number;
  /** The newest time among the ranks of its fields. */
  readonly time: number;
  /** Touched field → hash of its new value. */
  readonly fields: Readonly<Record<FieldKey, string>>;
}

/**
 * The state that a lane needs to decide about an asset; it travels in the asset's last outcome message.
 * `base` is the rank of every settled field that `fields` does not list with a rank of its own (compact form of many equal ranks).
 */
export interface SyncState {
  readonly v: 1;
  readonly base?: Rank;
  readonly fields: Readonly<Record<FieldKey, Partial<SettledField>>>;
  /** The newest last; at most 8. */
  readonly recent: readonly RecentChange[];
  /** Sequences that are settled but whose ack is not proven, oldest first. */
  readonly settled: readonly number[];
}

import type { Aspect, FieldKey } from './entity.ts';
import type { Rank } from './rank.ts';

/** What is known of one settled field. */
export interface SettledField {
  readonly rank: Rank;
  /** Hash of the value that the decision was made from (`valueHash`); absent where the value is unknown. */
  readonly hash?: string;
  /** Tags that were applied to the source by us, as `key=value`. */
  readonly tags?: readonly string[];
  /** Other tags that may stand in the source by our doing, as `key=value`: an owner that died may have written them. */
  readonly mayStand?: readonly string[];
  /** Hash of what was last written to the source; absent where nothing was ever written. */
  readonly written?: string;
  /** Event id of the change that settled the field, where `rank` is that of a newer state than its own. */
  readonly by?: string;
}

/** One of the newest changes of the asset, kept to recognise duplicates and what an undo takes back. */
export interface RecentChange {
  readonly eventId: string;
  readonly entityId: string;
  readonly currentVersion: number;
  readonly previousVersion?: number;
  /** The newest time among the ranks of its fields. */
  readonly time: number;
  /** Touched field → hash of its new value; left empty where very many fields were touched. */
  readonly fields: Readonly<Record<FieldKey, string>>;
  /** Hash of everything of an aspect, columns included, after the change; absent where its snapshot does not carry the aspect. */
  readonly after?: Partial<Record<Aspect, string>>;
  /** It touched nothing by itself (a vote whose snapshot showed a suggestion, a deletion): no undo can take it back. */
  readonly quiet?: boolean;
  /** The newest time at which another event (a vote) showed the entity still in this change's version. */
  readonly seenUntil?: number;
  /** Event id of the undo that took this change back: another one has to find another partner. */
  readonly undoneBy?: string;
}

/**
 * The state that a lane needs to decide about an asset; it travels in the asset's last outcome message.
 * `base` is the rank of every settled field that `fields` does not list with a rank of its own (compact form of many equal ranks).
 */
export interface SyncState {
  readonly v: 1;
  readonly base?: Rank;
  readonly fields: Readonly<Record<FieldKey, Partial<SettledField>>>;
  /** The entity was deleted then: every field, also one not listed, is settled at least at this rank. */
  readonly floor?: Rank;
  /** Rank time of the newest snapshot ever seen; a change below it, of a field not yet settled, is in doubt. */
  readonly newestSeen?: number;
  /** The newest last; at most 8. */
  readonly recent: readonly RecentChange[];
  /** Sequences that are settled but whose ack is not proven, oldest first. */
  readonly settled: readonly number[];
  /**
   * Every change of the asset up to this sequence is settled, its ack is proven. `time`: the newest time in the stream of a change of
   * the asset then; one that is newer comes from a stream that was made anew.
   */
  readonly settledUpTo?: { readonly sequence: number; readonly time: number };
  /**
   * Sequences of which some keys are recorded and others still open (a retry), with the recorded touches, as the lane names them:
   * after a crash they are not decided a second time.
   */
  readonly partial?: Readonly<Record<string, readonly string[]>>;
  /**
   * Sequences that are acknowledged and not settled, with the size of their message in bytes: they wait as copies in the stream of
   * parked changes. A copy that stands in no state is left over.
   */
  readonly parked?: Readonly<Record<string, number>>;
}

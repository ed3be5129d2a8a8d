import type { ChangeEvent } from './change-event.ts';
import type { Field, FieldKey } from './entity.ts';
import type { Rank } from './rank.ts';
import type { OwnerReference, Snapshot, TagLabel } from './snapshot.ts';
import type { SettledField, SyncState } from './sync-state.ts';

/** A change as a lane received it from CHANGES. */
export interface ReceivedChange {
  readonly sequence: number;
  /** JetStream's own time of the message, epoch milliseconds. */
  readonly streamTime: number;
  readonly event: ChangeEvent;
  /** Set on a replay: compare as this change does; only a rank strictly above, settled by another change, supersedes. */
  readonly replayOf?: string;
  /** It is acknowledged and not settled: a copy of it was parked. */
  readonly parked?: true;
  /** Changes of its user are not written back: what it touches brings nothing into the source. */
  readonly ignored?: true;
}

/** Why a field counts as touched (design: "Touched, not whole"). */
export type TouchReason = 'diff' | 'whole' | 'entered' | 'differs' | 'ambiguous-column';

/** Why a decision about a field is not certain from the events alone. */
export type Doubt =
  | 'undo'
  | 'rank-not-above-settled'
  | 'no-change-description'
  | 'ambiguous-column'
  | 'field-not-in-snapshot'
  | 'older-than-newest-snapshot';

/** One touched field of one received change. */
export interface Touch {
  readonly sequence: number;
  readonly eventId: string;
  readonly field: Field;
  readonly key: FieldKey;
  readonly rank: Rank;
  readonly reason: TouchReason;
  /** Labels that this change's diff removed from the field (tags only). */
  readonly removedTags: readonly TagLabel[];
  /** Only this channel is concerned (the change brought the entity into its filter). */
  readonly channel?: string;
  readonly doubts: readonly Doubt[];
}

/** All open touches of one field. `winner` has the highest rank; `losers` end `superseded` by it. */
export interface OpenField {
  readonly field: Field;
  readonly key: FieldKey;
  readonly winner: Touch;
  readonly losers: readonly Touch[];
  /** The winner's rank is not above the settled one: nothing is to be written, except for a tag removal still honoured. */
  readonly stale: boolean;
  /** The event id that the settled rank belongs to, when stale. */
  readonly settledBy?: string;
  /** Removed by any of the open touches and not contained in the newest state. */
  readonly removedTags: readonly TagLabel[];
  /** What is in doubt and not yet answered by a fresh read (`refresh`). */
  readonly doubts: readonly Doubt[];
  /** A fresh read, taken after the touches came, answers for the field: it is never stale then. */
  readonly fresh: boolean;
  /**
   * An empty value may be written. False where only `whole` or `entered` touches speak (they never unset), and while doubts are
   * not answered by a fresh read.
   */
  readonly mayClear: boolean;
}

/** The newest value known of a field, from the newest snapshot that carries it. */
export type FieldValue =
  | { readonly known: false }
  | { readonly known: true; readonly aspect: 'description'; readonly rank: Rank; readonly text: string | undefined }
  | { readonly known: true; readonly aspect: 'tags'; readonly rank: Rank; readonly tags: readonly TagLabel[] }
  | {
      readonly known: true;
      readonly aspect: 'owners';
      readonly rank: Rank;
      readonly owners: readonly OwnerReference[];
    };

/** What admitting a change led to. */
export type Admission =
  /** The sync state names the sequence as settled: only ack it. */
  | { readonly kind: 'settled' }
  /** The sequence is already held here: replace the ack handle. */
  | { readonly kind: 'held' }
  /** The event id is already known: every key of these fields ends `superseded: duplicate`. */
  | { readonly kind: 'duplicate'; readonly by: string; readonly touches: readonly Touch[] }
  /** An undo whose partner has not come: admit again when it arrives, or at the latest at this time (epoch ms). */
  | { readonly kind: 'waiting'; readonly until: number }
  /**
   * The entity was deleted: all fields are settled at its rank, nothing is written. The touches are the deletion's own, one for
   * each field that was pending below it; they win there, so that the pending ones end superseded by the deletion.
   */
  | { readonly kind: 'deleted'; readonly touches: readonly Touch[] }
  | { readonly kind: 'admitted'; readonly touches: readonly Touch[] };

/** What was decided about a field, given back to the ledger once it is certain (recorded or about to be). */
export interface Settlement {
  readonly key: FieldKey;
  /** The rank of the state that the decision was made from. */
  readonly rank: Rank;
  /** Hash of the value decided on. */
  readonly hash?: string;
  /** Tags now applied by us (`key=value`), when the tags of the field were written. */
  readonly tags?: readonly string[];
  /** Other tags that may stand in the source by our doing, when that is known anew. */
  readonly mayStand?: readonly string[];
  /** Hash of what was written to the source, when something was. */
  readonly written?: string;
}

/**
 * Everything a lane knows about one asset on one target: the settled state, the open changes and the newest state seen.
 * Pure: no clock, no I/O; the same calls in the same order give the same answers. Implemented by `createLedger`.
 */
export interface Ledger {
  /** `now` in epoch milliseconds decides whether an undo still waits for its partner. */
  admit(change: ReceivedChange, now: number): Admission;
  /** Changes that wait for the change they take back; admit them again after any other admission, or when due. */
  waiting(): readonly { readonly change: ReceivedChange; readonly until: number }[];
  /** Adds a touch that only the channels can see (`entered`); refused when the field already has one from this sequence for all channels. */
  touch(sequence: number, field: Field, channel: string): Touch | undefined;
  /** Some field has open touches. */
  hasOpen(): boolean;
  /** All fields with open touches, in a stable order. */
  open(): readonly OpenField[];
  /** The newest value of a field from the newest snapshot that carries its aspect. */
  value(field: Field): FieldValue;
  /** The newest state merged per aspect, for filters; undefined before any snapshot was seen. */
  newest(): Snapshot | undefined;
  /** The snapshot of one held change, with its aspects as they were before that change (for filters on the state before). */
  before(sequence: number): Snapshot | undefined;
  /** Whether the sequence has open touches left. */
  isOpen(sequence: number): boolean;
  /** Closes open touches (they were decided) and moves the settled ranks of their fields up. */
  settle(closed: readonly Touch[], settlements: readonly Settlement[]): void;
  /** The settled field as known now. */
  settled(key: FieldKey): SettledField | undefined;
  /**
   * Takes a fresh read of the catalogue as the newest state. Its rank is the highest of the given time (the server's), the
   * snapshot's `updatedAt` and the open touches; it answers the doubts of all touches that are open now, of no later ones.
   */
  refresh(snapshot: Snapshot, time: number): void;
  /** A sequence whose outcome is recorded (or about to be) but whose ack is not proven; until then it counts as held. */
  markSettled(sequence: number): void;
  /** The stream has told that every change up to this sequence is acknowledged. */
  ackedUpTo(sequence: number): void;
  /** The compact state to carry in the next outcome message. */
  toSyncState(): SyncState;
  /** Rough size in memory, for the cache's bound. */
  bytes(): number;
}

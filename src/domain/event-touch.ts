import type { Field, FieldKey } from './entity.ts';
import type { Doubt, TouchReason } from './ledger.ts';
import type { TagLabel } from './snapshot.ts';

/** A field that an event by itself touches, before it has a rank. */
export interface EventTouch {
  readonly field: Field;
  readonly key: FieldKey;
  readonly reason: TouchReason;
  readonly removedTags: readonly TagLabel[];
  /** Doubts that the event itself raises; those that depend on what else is known are added by the ledger. */
  readonly doubts: readonly Doubt[];
  /** The diff's name of the field, as `changeSummary` uses it. */
  readonly name?: string;
}

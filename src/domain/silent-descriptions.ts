import { descriptionsOf } from './descriptions.ts';
import type { Field, FieldKey } from './entity.ts';
import type { ReceivedChange, Touch } from './ledger.ts';
import { isAbove, type Rank } from './rank.ts';
import type { Snapshot } from './snapshot.ts';
import type { SettledField } from './sync-state.ts';
import { isUndo } from './undo.ts';
import { valueHash } from './value-hash.ts';

/** What is known of an asset's descriptions when a snapshot comes. */
export interface KnownDescriptions {
  readonly isOpen: (key: FieldKey) => boolean;
  /** Open, and what is at hand will be written: not only changes of ignored users keep it open. */
  readonly isOnItsWay: (key: FieldKey) => boolean;
  /** The newest value of an open field, which may be on its way to the source already. */
  readonly atHand: (field: Field) => Pick<SettledField, 'rank' | 'hash'> | undefined;
  readonly settled: (key: FieldKey) => SettledField | undefined;
}

/**
 * Touches for descriptions that are known and stand differently in this newer snapshot: accepted suggestions and tasks show only so.
 * `touched`: what the change touches by itself.
 */
export function differingDescriptions(
  { sequence, event }: ReceivedChange,
  snapshot: Snapshot,
  rank: Rank,
  touched: readonly Touch[],
  { isOnItsWay, atHand, settled }: KnownDescriptions,
): readonly Touch[] {
  const doubts = isUndo(event) ? (['undo'] as const) : [];
  const isTouched = membership(touched);
  const touches: Touch[] = [];
  for (const { field, key, text } of descriptionsOf(snapshot)) {
    const known = isTouched(key) ? undefined : isOnItsWay(key) ? atHand(field) : settled(key);
    if (known?.hash === undefined || !isAbove(rank, known.rank) || valueHash(text) === known.hash) continue;
    touches.push({ sequence, eventId: event.id, field, key, rank, reason: 'differs', removedTags: [], doubts });
  }
  return touches;
}

/** Whether a field is among the touched ones, of which there are mostly few. */
function membership(touched: readonly Touch[]): (key: FieldKey) => boolean {
  if (touched.length <= 8) return (key) => touched.some((touch) => touch.key === key);
  const keys = new Set(touched.map((touch) => touch.key));
  return (key) => keys.has(key);
}

/**
 * The descriptions that a snapshot of the whole entity shows to be empty, and of which nothing newer is known: once they are noted as
 * settled, a text that comes later in silence counts as one that stands differently.
 */
export function emptyDescriptions(
  snapshot: Snapshot,
  rank: Rank,
  { isOpen, settled }: KnownDescriptions,
): readonly FieldKey[] {
  return descriptionsOf(snapshot).flatMap(({ key, text }) => {
    if (text !== undefined || isOpen(key)) return [];
    // Below what a deletion settled nothing is known of the field.
    const known = settled(key);
    return known !== undefined && (known.hash !== undefined || !isAbove(rank, known.rank)) ? [] : [key];
  });
}

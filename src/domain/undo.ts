import type { ChangeEvent } from './change-event.ts';
import { columnAt } from './columns.ts';
import { ASPECTS, type Aspect, type FieldKey } from './entity.ts';
import { RANK_STEP } from './rank.ts';
import type { Snapshot } from './snapshot.ts';
import { aspectContents, stateBefore } from './state-before.ts';
import type { RecentChange } from './sync-state.ts';
import { type EventTouch, isDeletion } from './touches.ts';
import { valueHash } from './value-hash.ts';

/** How long an undo waits for the change that it takes back, in milliseconds. */
export const UNDO_WAIT_MS = 5_000;
/** How far below its time in the stream an undo ranks when its partner never came: what delivery usually takes at most. */
const UNDO_ASSUMED_AGE_MS = 5_000;

/**
 * The event takes back an earlier change: the entity goes to a lower version, and the event carries the timestamp, the editor and
 * the snapshot of the version that it goes back to.
 */
export function isUndo(event: ChangeEvent): boolean {
  return event.previousVersion !== undefined && event.previousVersion > event.currentVersion && !isDeletion(event);
}

/** Where an undo belongs in time; `wait`: the change that it takes back has not come yet. */
export type UndoPlace =
  | { readonly kind: 'at'; readonly time: number; readonly takesBack?: RecentChange }
  | { readonly kind: 'wait' };

/**
 * Finds the rank time of an undo.
 *
 * 1. Where `changeSummary` gives one of the touched fields a later time than the event, that is the true time of the whole event.
 * 2. Else it ranks just above the newest change that it can take back: same entity id, that change's version is the one the undo
 *    leaves, nothing took it back before, and the entity after that change looked as it did before the undo, in every touched
 *    aspect that both carry. Each change is taken back once, so that two equal undos find two partners.
 * 3. Until `mayWait` is false it waits for such a change. Then the values of the touched fields alone decide, where both carry them
 *    (something may have changed in silence between the two).
 * 4. Else it ranks at its time in the stream minus five seconds, never below its own timestamp.
 */
export function placeUndo(
  event: ChangeEvent,
  touches: readonly EventTouch[],
  recent: readonly RecentChange[],
  streamTime: number,
  mayWait: boolean,
): UndoPlace {
  const candidates = recent
    .filter((change) => change.entityId === event.entityId && change.currentVersion === event.previousVersion)
    .filter((change) => (change.undoneBy ?? event.id) === event.id && change.eventId !== event.id)
    .sort((a, b) => b.time - a.time);
  const before = stateBefore(event);
  const partner = before === undefined ? undefined : partnerByState(before, touches, candidates);
  const told = Math.max(...touches.map((touch) => event.changedAt.get(touch.name ?? '') ?? 0));
  if (told > event.timestamp) return place(told, partner);
  if (partner !== undefined) return place(partner.time + RANK_STEP, partner);
  if (mayWait) return { kind: 'wait' };
  const alike = candidates.find((change) => before === undefined || fieldsAlike(change, before, touches));
  if (alike !== undefined) return place(alike.time + RANK_STEP, alike);
  return place(Math.max(event.timestamp, streamTime - UNDO_ASSUMED_AGE_MS), undefined);
}

/** Hashes of the aspects of a snapshot, for `RecentChange.after`. */
export function aspectHashes(snapshot: Snapshot): Partial<Record<Aspect, string>> {
  const contents = aspectContents(snapshot);
  return Object.fromEntries(
    ASPECTS.flatMap((aspect) => {
      const content = contents[aspect];
      return content === undefined ? [] : [[aspect, valueHash(content)]];
    }),
  );
}

function partnerByState(
  before: Snapshot,
  touches: readonly EventTouch[],
  candidates: readonly RecentChange[],
): RecentChange | undefined {
  const wanted = aspectHashes(before);
  const aspects = [...new Set(touches.map((touch) => touch.field.aspect))];
  return candidates.find((change) => {
    const compared = aspects.filter((aspect) => wanted[aspect] !== undefined && change.after?.[aspect] !== undefined);
    return compared.length > 0 && compared.every((aspect) => wanted[aspect] === change.after?.[aspect]);
  });
}

function fieldsAlike(change: RecentChange, before: Snapshot, touches: readonly EventTouch[]): boolean {
  return touches.every((touch) => {
    const theirs: string | undefined = change.fields[touch.key];
    const ours = fieldHash(before, touch);
    return theirs === undefined || ours === undefined || theirs === ours;
  });
}

/** The hash of a touched field in a snapshot; undefined where the snapshot does not carry it. */
export function fieldHash(
  snapshot: Snapshot,
  touch: { readonly field: EventTouch['field']; readonly key: FieldKey },
): string | undefined {
  const { aspect, column } = touch.field;
  if (aspect === 'owners') return snapshot.owners === undefined ? undefined : valueHash(snapshot.owners);
  const at = column === undefined ? snapshot : columnAt(snapshot.columns, column);
  if (at === undefined) return undefined;
  if (aspect === 'description') return valueHash(at.description);
  return snapshot.tags === undefined || at.tags === undefined ? undefined : valueHash(at.tags);
}

function place(time: number, takesBack: RecentChange | undefined): UndoPlace {
  return { kind: 'at', time, ...(takesBack === undefined ? {} : { takesBack }) };
}

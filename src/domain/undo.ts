import type { ChangeEvent } from './change-event.ts';
import { columnAt } from './columns.ts';
import { ASPECTS, type Aspect, type FieldKey } from './entity.ts';
import type { EventTouch } from './event-touch.ts';
import { RANK_STEP } from './rank.ts';
import type { Snapshot } from './snapshot.ts';
import { aspectContents, stateBefore } from './state-before.ts';
import type { RecentChange, SettledField } from './sync-state.ts';
import { isDeletion } from './touches.ts';
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
 * 1. Where `changeSummary` gives what it put back a later time than the event's, that is the true time of the whole event.
 * 2. Else it ranks just above the newest change that it can take back, and above votes seen in that change's version: same entity
 *    id, that change's version is the one the undo leaves, nothing took it back before, and the entity after that change looked as
 *    it did before the undo, in every aspect that both carry. Each change is taken back once, so that two equal undos find two.
 * 3. Until `mayWait` is false it waits for such a change. Then what the undo touches alone decides, first by aspect, then by field
 *    (something may have changed in silence between the two).
 * 4. Else it ranks at its time in the stream minus five seconds, never below its own timestamp, nor below a settled field which held
 *    in that version what the undo takes away (some of that change may be settled, and the rest of it have to come once more).
 */
export function placeUndo(
  event: ChangeEvent,
  touches: readonly EventTouch[],
  recent: readonly RecentChange[],
  streamTime: number,
  mayWait: boolean,
  settled: (key: FieldKey) => SettledField | undefined,
): UndoPlace {
  const candidates = takeable(event, recent);
  const before = stateBefore(event);
  const touched = ASPECTS.filter((aspect) => touches.some((touch) => touch.field.aspect === aspect));
  const partner = before === undefined ? undefined : partnerByState(before, ASPECTS, touched, candidates);
  const told = toldTime(event, touches);
  if (told > event.timestamp) return place(told, partner);
  if (partner !== undefined) return place(justAbove(partner), partner);
  if (mayWait) return { kind: 'wait' };
  const alike =
    before === undefined
      ? candidates[0]
      : (partnerByState(before, touched, touched, candidates) ??
        candidates.find((change) => fieldsAlike(change, before, touches)));
  if (alike !== undefined) return place(justAbove(alike), alike);
  const above = before === undefined ? 0 : aboveSettled(event, before, touches, settled);
  return place(Math.max(event.timestamp, streamTime - UNDO_ASSUMED_AGE_MS, above), undefined);
}

/** Just above the newest field that was settled in the version which the undo leaves, and held then what the undo takes away. */
function aboveSettled(
  event: ChangeEvent,
  before: Snapshot,
  touches: readonly EventTouch[],
  settled: (key: FieldKey) => SettledField | undefined,
): number {
  const times = touches.map((touch) => {
    const field = settled(touch.key);
    const same = field?.rank.entityId === event.entityId && field.rank.version === event.previousVersion;
    return same && field.hash === fieldHash(before, touch) ? field.rank.time + RANK_STEP : 0;
  });
  return Math.max(0, ...times);
}

/** Hashes of the aspects of a snapshot, for `RecentChange.after`. */
export function aspectHashes(snapshot: Snapshot): Partial<Record<Aspect, string>> {
  const contents = aspectContents(snapshot);
  const hashes: Partial<Record<Aspect, string>> = {};
  for (const aspect of ASPECTS) {
    const content = contents[aspect];
    if (content !== undefined) hashes[aspect] = valueHash(content);
  }
  return hashes;
}

/**
 * The latest time that `changeSummary` gives for what the undo put back. It tells nothing new about what was only taken away: a
 * cleared text and removed owners keep the time at which they had been set.
 */
function toldTime(event: ChangeEvent, touches: readonly EventTouch[]): number {
  const names = new Set(touches.map((touch) => touch.name));
  const put = (event.changes ?? []).filter((change) => change.kind !== 'deleted' && names.has(change.name));
  return Math.max(0, ...put.map((change) => event.changedAt.get(change.name) ?? 0));
}

/**
 * The changes that the undo can take back, the likeliest first. All changes that lead to one version since it was last entered from
 * below are one session. A version is entered twice only if it was left by an undo in between: a session that has a later one of
 * the same version, and no undo yet, is the one that this undo ended. Else it is the newest.
 */
function takeable(event: ChangeEvent, recent: readonly RecentChange[]): readonly RecentChange[] {
  const sessions: RecentChange[][] = [];
  for (const change of [...recent].sort((a, b) => a.time - b.time)) {
    if (change.entityId !== event.entityId || change.currentVersion !== event.previousVersion) continue;
    if (change.eventId === event.id || change.quiet === true) continue;
    const session = sessions.at(-1);
    const entered = (change.previousVersion ?? 0) < change.currentVersion;
    if (session === undefined || entered || session.at(-1)?.undoneBy !== undefined) sessions.push([change]);
    else session.push(change);
  }
  const free = sessions.filter((session) => session.every(({ undoneBy }) => (undoneBy ?? event.id) === event.id));
  const ended = free.filter((session) => session !== sessions.at(-1));
  return [...ended, ...free.filter((session) => session === sessions.at(-1))].flatMap((session) => session.reverse());
}

/** The first candidate after which the entity looked as it did before the undo. It has to tell of every `needed` aspect. */
function partnerByState(
  before: Snapshot,
  aspects: readonly Aspect[],
  needed: readonly Aspect[],
  candidates: readonly RecentChange[],
): RecentChange | undefined {
  const wanted = aspectHashes(before);
  return candidates.find((change) => {
    const compared = aspects.filter((aspect) => wanted[aspect] !== undefined && change.after?.[aspect] !== undefined);
    return (
      needed.every((aspect) => compared.includes(aspect)) &&
      compared.every((aspect) => wanted[aspect] === change.after?.[aspect])
    );
  });
}

/** One that is known to have touched none of the fields is not what is taken back. */
function fieldsAlike(change: RecentChange, before: Snapshot, touches: readonly EventTouch[]): boolean {
  const known = Object.keys(change.fields).length > 0;
  if (known && touches.every((touch) => change.fields[touch.key] === undefined)) return false;
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

/** Above the change, and above whatever showed the entity in its version later on. */
function justAbove(change: RecentChange): number {
  return Math.max(change.time, change.seenUntil ?? 0) + RANK_STEP;
}

function place(time: number, takesBack: RecentChange | undefined): UndoPlace {
  return { kind: 'at', time, ...(takesBack === undefined ? {} : { takesBack }) };
}

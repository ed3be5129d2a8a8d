import { unionOfTags, withoutTags } from './labels.ts';
import type { Doubt, FieldValue, OpenField, Touch } from './ledger.ts';
import { compareRanks } from './rank.ts';
import type { TagLabel } from './snapshot.ts';
import type { SettledField } from './sync-state.ts';

/** What is known around a field when its open touches are summed up. */
export interface FieldSituation {
  readonly value: FieldValue;
  readonly settled: SettledField | undefined;
  /** The touch is that of the deletion that settled all fields: it is no news, but it is what decides. */
  readonly isDeletion: (touch: Touch) => boolean;
  /** A fresh read, taken after the touch came, answers for it. */
  readonly isAnswered: (touch: Touch) => boolean;
  /** The change that the touch replays, if it does. */
  readonly replayOf: (touch: Touch) => string | undefined;
  /** The newest snapshot ever seen is not at hand, and lies above this time. */
  readonly unseenAbove: (time: number) => boolean;
}

/** Sums up the open touches of one field: who wins, whether it is still news, what is in doubt. `touches` holds at least one. */
export function summarize(touches: readonly Touch[], situation: FieldSituation): OpenField | undefined {
  const [winner, ...losers] = [...touches].sort((a, b) => compareRanks(b.rank, a.rank));
  if (winner === undefined) return undefined;
  const { settled, value } = situation;
  const doubts: Doubt[] = [];
  for (const touch of touches)
    for (const doubt of openDoubts(touch, situation)) if (!doubts.includes(doubt)) doubts.push(doubt);
  const ofWinner = openDoubts(winner, situation);
  const fresh = touches.every(situation.isAnswered);
  const stale = !fresh && isStale(winner, situation);
  const speaks = touches.some((touch) => touch.reason !== 'whole' && touch.reason !== 'entered');
  return {
    field: winner.field,
    key: winner.key,
    winner,
    losers,
    stale,
    ...(stale && settled !== undefined ? { settledBy: settled.by ?? settled.rank.eventId } : {}),
    removedTags: honouredRemovals(touches, stale, value, settled),
    doubts,
    fresh,
    mayClear: fresh || (speaks && doubts.every((doubt) => isHarmless(doubt, ofWinner))),
  };
}

/** That an older change among the touches comes too late says nothing against what the newest one made empty. */
function isHarmless(doubt: Doubt, ofWinner: readonly Doubt[]): boolean {
  return doubt === 'rank-not-above-settled' && !ofWinner.includes(doubt);
}

/** The settled rank already covers the touch. A replay is covered only by what another change settled strictly above it. */
export function isStale(touch: Touch, situation: Pick<FieldSituation, 'settled' | 'replayOf' | 'isDeletion'>): boolean {
  const { settled } = situation;
  if (settled === undefined || situation.isDeletion(touch)) return false;
  const order = compareRanks(touch.rank, settled.rank);
  const replayed = situation.replayOf(touch);
  if (replayed !== undefined) return order < 0 && (settled.by ?? settled.rank.eventId) !== replayed;
  return order <= 0;
}

function openDoubts(touch: Touch, situation: FieldSituation): readonly Doubt[] {
  if (situation.isAnswered(touch)) return [];
  const own = touch.doubts.length === 0 ? NONE : lastingDoubts(touch, situation);
  if (isStale(touch, situation)) return [...own, 'rank-not-above-settled'];
  // What a deletion settled has no value that is known.
  if (situation.settled?.hash === undefined && situation.unseenAbove(touch.rank.time))
    return [...own, 'older-than-newest-snapshot'];
  return own;
}

const NONE: readonly never[] = [];

/** What was in doubt when the touch came and still is. */
function lastingDoubts(touch: Touch, { value }: FieldSituation): readonly Doubt[] {
  const seen = value.known && compareRanks(value.rank, touch.rank) >= 0;
  return touch.doubts.filter(
    (doubt) =>
      doubt !== 'rank-not-above-settled' &&
      doubt !== 'older-than-newest-snapshot' &&
      !(doubt === 'field-not-in-snapshot' && seen),
  );
}

/**
 * Labels that the touches removed and that the newest state does not contain. For a stale field the newest state has to be at
 * hand (at least as new as the settled rank), else the label may have come back since.
 */
function honouredRemovals(
  touches: readonly Touch[],
  stale: boolean,
  value: FieldValue,
  settled: SettledField | undefined,
): readonly TagLabel[] {
  const removed = touches.reduce<readonly TagLabel[]>((all, touch) => unionOfTags(all, touch.removedTags), []);
  if (removed.length === 0) return removed;
  if (!value.known || value.aspect !== 'tags') return stale ? [] : removed;
  if (stale && settled !== undefined && compareRanks(value.rank, settled.rank) < 0) return [];
  return withoutTags(removed, value.tags);
}

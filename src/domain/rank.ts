import type { ChangeEvent } from './change-event.ts';

/**
 * Position of a touched field's change in the history of its asset. Compared as a whole tuple by `compareRanks`:
 * time first, then the entity id, the higher version, the lower previous version, the event id.
 */
export interface Rank {
  /** Epoch milliseconds; a match for an undo may lie a fraction above the change that it takes back. */
  readonly time: number;
  readonly entityId: string;
  readonly version: number;
  readonly previous: number;
  readonly eventId: string;
}

/** Smallest step between two ranks: exact in binary, far below the millisecond in which events are counted. */
export const RANK_STEP = 2 ** -10;

/** Negative where `a` lies below `b`, 0 only for equal ranks. A total order: between entities of one millisecond the id decides. */
export function compareRanks(a: Rank, b: Rank): number {
  if (a.time !== b.time) return a.time - b.time;
  if (a.entityId !== b.entityId) return a.entityId < b.entityId ? -1 : 1;
  if (a.version !== b.version) return a.version - b.version;
  // A step from lower is the real change, one from the same version mostly a no-op that is announced again.
  if (a.previous !== b.previous) return b.previous - a.previous;
  if (a.eventId === b.eventId) return 0;
  return a.eventId < b.eventId ? -1 : 1;
}

export function isAbove(a: Rank, b: Rank | undefined): boolean {
  return b === undefined || compareRanks(a, b) > 0;
}

export function higherRank(a: Rank, b: Rank | undefined): Rank {
  return b === undefined || compareRanks(a, b) >= 0 ? a : b;
}

/** The rank of what an event did, at a given time. */
export function rankOf(event: ChangeEvent, time: number, eventId = event.id): Rank {
  return {
    time,
    entityId: event.entityId,
    version: event.currentVersion,
    previous: event.previousVersion ?? event.currentVersion,
    eventId,
  };
}

import type { ChangeEvent } from './change-event.ts';
import type { RecentChange } from './sync-state.ts';
import { aspectHashes } from './undo.ts';

/** How many changes of an asset travel in its sync state. */
export const RECENT_KEPT = 8;
/** How many a resident ledger keeps, those still open not counted. */
const RECENT_RESIDENT = 16;

interface Sighting {
  readonly entityId: string;
  readonly version: number;
  readonly time: number;
  /** Hash of all descriptions, columns included. */
  readonly description?: string;
}

/**
 * The newest changes of an asset, by event id: what tells duplicates, and what an undo can take back.
 * Invariant: each event id stands once; a change stays as long as it is open, however many newer ones there are.
 */
export class RecentChanges {
  readonly #byId = new Map<string, RecentChange>();
  /** Events that touched nothing but tell in which version the entity was and what it held, the newest last. */
  #sightings: readonly Sighting[] = [];
  /** Looking through all changes pays only after so many have come. */
  #pruneAt = RECENT_RESIDENT + 1;

  constructor(changes: readonly RecentChange[]) {
    for (const change of changes) this.#byId.set(change.eventId, change);
    // What showed a silent change was kept for that; it also tells in which version the entity was.
    this.#sightings = changes.flatMap(({ quiet, entityId, currentVersion: version, time, after }) =>
      quiet === true && after?.description !== undefined
        ? [{ entityId, version, time, description: after.description }]
        : [],
    );
  }

  get size(): number {
    return this.#byId.size;
  }

  has(eventId: string): boolean {
    return this.#byId.has(eventId);
  }

  /** All changes, each with the time until which its version was seen. */
  all(): readonly RecentChange[] {
    if (this.#sightings.length === 0) return [...this.#byId.values()];
    const changes = new Map(this.#byId);
    for (const { entityId, version, time, description } of this.#sightings) {
      let latest: RecentChange | undefined;
      for (const change of changes.values()) {
        if (change.entityId !== entityId || change.currentVersion !== version) continue;
        if (change.quiet === true || change.undoneBy !== undefined) continue;
        // A version can be entered again with another content, by a change that has not come yet.
        if (description !== undefined && (change.after?.description ?? description) !== description) continue;
        if (change.time <= time && change.time >= (latest?.time ?? 0)) latest = change;
      }
      if (latest !== undefined && time > (latest.seenUntil ?? latest.time)) {
        changes.set(latest.eventId, { ...latest, seenUntil: time });
      }
    }
    return [...changes.values()];
  }

  /** An event that touches nothing showed the entity in this version. */
  see({ entityId, currentVersion: version, snapshot }: ChangeEvent, time: number): void {
    const description = snapshot === undefined ? undefined : aspectHashes(snapshot).description;
    const sighting = { entityId, version, time, ...(description === undefined ? {} : { description }) };
    this.#sightings = [...this.#sightings, sighting].slice(-RECENT_RESIDENT);
  }

  /** Adds or replaces a change, and now and then drops the oldest beyond the limit; `openIds` tells which have to stay. */
  add(change: RecentChange, openIds: () => ReadonlySet<string>): void {
    this.#byId.set(change.eventId, change);
    if (this.#byId.size < this.#pruneAt) return;
    const open = openIds();
    const closed = [...this.#byId.values()].filter((other) => !open.has(other.eventId));
    for (const old of byTime(closed).slice(0, -RECENT_RESIDENT)) this.#byId.delete(old.eventId);
    this.#pruneAt = this.#byId.size + RECENT_RESIDENT;
  }

  markUndone(eventId: string, undoneBy: string): void {
    const change = this.#byId.get(eventId);
    if (change !== undefined) this.#byId.set(eventId, { ...change, undoneBy });
  }

  /** Takes back what an undo had marked. */
  clearUndone(undoneBy: string): void {
    for (const [id, change] of this.#byId) {
      if (change.undoneBy !== undoneBy) continue;
      const { undoneBy: _, ...rest } = change;
      this.#byId.set(id, rest);
    }
  }

  /** A change turned out to belong at another time. */
  move(eventId: string, time: number): void {
    const change = this.#byId.get(eventId);
    if (change !== undefined) this.#byId.set(eventId, { ...change, time });
  }

  /** What the sync state carries: the newest closed ones. An open one left in would be taken for a duplicate after a crash. */
  toState(openIds: ReadonlySet<string>): readonly RecentChange[] {
    const all = this.all();
    const closed = openIds.size === 0 ? all : all.filter((change) => !openIds.has(change.eventId));
    return byTime(closed).slice(-RECENT_KEPT);
  }
}

function byTime(changes: readonly RecentChange[]): readonly RecentChange[] {
  // They mostly came in order.
  const inOrder = changes.every((change, index) => change.time >= (changes[index - 1]?.time ?? change.time));
  return inOrder ? changes : [...changes].sort((a, b) => a.time - b.time);
}

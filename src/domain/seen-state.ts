import type { Field } from './entity.ts';
import type { FieldValue } from './ledger.ts';
import { mergedSnapshot, type NewestState, newestValue, withKnownAspects, withSnapshot } from './newest-state.ts';
import type { Rank } from './rank.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotBytes } from './snapshot-size.ts';
import { SparseMap } from './sparse-map.ts';

interface Seen {
  readonly snapshot: Snapshot;
  readonly rank: Rank;
  readonly bytes: number;
}

/**
 * The newest state of an asset out of all snapshots seen. Those of changes still held are kept one by one, since the rank of an
 * undo can move until it is decided; the others are folded into one state.
 */
export class SeenState {
  readonly #trustEmptyTags: boolean;
  readonly #held = new SparseMap<number, Seen>();
  #heldBytes = 0;
  /** Size of the newest snapshot, once it is known. */
  #measured: { readonly snapshot: Snapshot; readonly bytes: number } | undefined;
  #folded: NewestState = {};
  #foldedSeen: number;
  #state: NewestState = {};
  #merged: Snapshot | undefined;
  #newestSeen: number;

  /** `newestSeen`: rank time of the newest snapshot that was ever seen before, where one was. */
  constructor(newestSeen: number | undefined, trustEmptyTags: boolean) {
    this.#foldedSeen = newestSeen ?? Number.NEGATIVE_INFINITY;
    this.#newestSeen = this.#foldedSeen;
    this.#trustEmptyTags = trustEmptyTags;
  }

  get newestSeen(): number {
    return this.#newestSeen;
  }

  /** Rank of the newest snapshot at hand. */
  get rank(): Rank | undefined {
    return this.#state.structure?.rank;
  }

  get merged(): Snapshot | undefined {
    return this.#merged;
  }

  value(field: Field): FieldValue {
    return newestValue(this.#state, field);
  }

  withKnownAspects(snapshot: Snapshot): Snapshot {
    return withKnownAspects(snapshot, this.#state);
  }

  /** Takes a snapshot into account; with a sequence, it is that of a held change. */
  observe(snapshot: Snapshot, rank: Rank, sequence?: number): void {
    if (sequence === undefined) this.#fold(snapshot, rank);
    else {
      const bytes = snapshotBytes(snapshot);
      this.#held.set(sequence, { snapshot, rank, bytes });
      this.#heldBytes += bytes;
      this.#measured = { snapshot, bytes };
    }
    this.#set(withSnapshot(this.#state, snapshot, rank, this.#trustEmptyTags));
    this.#newestSeen = Math.max(this.#newestSeen, rank.time);
  }

  /** The rank of a held change turned out to be another one. */
  rerank(sequence: number, rank: Rank): void {
    const seen = this.#held.get(sequence);
    if (seen === undefined) return;
    this.#held.set(sequence, { ...seen, rank });
    let state = this.#folded;
    this.#newestSeen = this.#foldedSeen;
    for (const other of this.#held.values()) {
      state = withSnapshot(state, other.snapshot, other.rank, this.#trustEmptyTags);
      this.#newestSeen = Math.max(this.#newestSeen, other.rank.time);
    }
    this.#set(state);
  }

  /** The change is decided: its rank is final. */
  release(sequence: number): void {
    const seen = this.#held.get(sequence);
    if (seen === undefined) return;
    this.#held.delete(sequence);
    this.#heldBytes -= seen.bytes;
    this.#fold(seen.snapshot, seen.rank);
  }

  /** Rough size in memory, bytes; a snapshot that is kept for several reasons may count twice, the merged one shares their parts. */
  get bytes(): number {
    const { structure, tags, owners } = this.#state;
    const { structure: folded, tags: foldedTags, owners: foldedOwners } = this.#folded;
    let bytes = this.#heldBytes;
    if (structure !== undefined) bytes += this.#sizeOf(structure.snapshot);
    // Mostly all of them are one and the same.
    for (const slot of [tags, owners, folded, foldedTags, foldedOwners]) {
      if (slot !== undefined && slot.snapshot !== structure?.snapshot) bytes += snapshotBytes(slot.snapshot);
    }
    return bytes;
  }

  #sizeOf(snapshot: Snapshot): number {
    if (this.#measured?.snapshot !== snapshot) this.#measured = { snapshot, bytes: snapshotBytes(snapshot) };
    return this.#measured.bytes;
  }

  #fold(snapshot: Snapshot, rank: Rank): void {
    this.#folded = withSnapshot(this.#folded, snapshot, rank, this.#trustEmptyTags);
    this.#foldedSeen = Math.max(this.#foldedSeen, rank.time);
  }

  #set(state: NewestState): void {
    this.#state = state;
    this.#merged = mergedSnapshot(state);
  }
}

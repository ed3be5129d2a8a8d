import type { FieldKey } from './entity.ts';
import type { Rank } from './rank.ts';
import { compareRanks, higherRank, isAbove } from './rank.ts';
import type { SettledField, SyncState } from './sync-state.ts';

/**
 * The settled fields of one asset.
 * Invariant: the rank of a field never goes down; `floor` (a deletion) lies under every field, also those never settled.
 */
export class SettledFields {
  readonly #fields = new Map<FieldKey, SettledField>();
  #floor: Rank | undefined;

  constructor(state: SyncState | undefined) {
    if (state === undefined) return;
    this.#floor = state.floor;
    for (const [key, field] of Object.entries(state.fields)) {
      const rank = field.rank ?? state.base;
      if (rank !== undefined) this.#fields.set(key, { ...field, rank });
    }
  }

  get size(): number {
    return this.#fields.size;
  }

  keys(): Iterable<FieldKey> {
    return this.#fields.keys();
  }

  get(key: FieldKey): SettledField | undefined {
    const field = this.#fields.get(key);
    const floor = this.#floor;
    if (floor === undefined || (field !== undefined && isAbove(field.rank, floor))) return field;
    // What was applied to the source still stands there; what the catalogue said before it deleted the entity does not count.
    return {
      rank: floor,
      ...(field?.tags === undefined ? {} : { tags: field.tags }),
      ...(field?.mayStand === undefined ? {} : { mayStand: field.mayStand }),
      ...(field?.written === undefined ? {} : { written: field.written }),
    };
  }

  /**
   * Moves a field up to a settlement. A lower rank leaves rank and hash, but what was applied to the source is noted; one of the same
   * rank (a copy of the change) that tells no value leaves the hash.
   */
  settle(key: FieldKey, next: SettledField): void {
    const present = this.#fields.get(key);
    const order = present === undefined ? 1 : compareRanks(next.rank, present.rank);
    const newer = present === undefined || order >= 0 ? next : present;
    const hash = newer.hash ?? (order === 0 ? present?.hash : undefined);
    const tags = next.tags ?? present?.tags;
    const mayStand = (next.mayStand ?? present?.mayStand ?? []).filter((tag) => tags?.includes(tag) !== true);
    const written = next.written ?? present?.written;
    this.#fields.set(key, {
      rank: newer.rank,
      ...(hash === undefined ? {} : { hash }),
      ...(newer.by === undefined || newer.by === newer.rank.eventId ? {} : { by: newer.by }),
      ...(tags === undefined ? {} : { tags }),
      ...(mayStand.length === 0 ? {} : { mayStand }),
      ...(written === undefined ? {} : { written }),
    });
  }

  /** Settles every field at least at the rank of a deletion. */
  raiseFloor(rank: Rank): void {
    this.#floor = higherRank(rank, this.#floor);
  }

  isFloor(rank: Rank): boolean {
    return this.#floor !== undefined && compareRanks(rank, this.#floor) === 0;
  }

  /** The members of a sync state: the most common rank stands once. */
  toState(): Pick<SyncState, 'base' | 'fields' | 'floor'> {
    const counts = new Map<string, { rank: Rank; count: number }>();
    for (const { rank } of this.#fields.values()) {
      // Ranks of one event mostly are the same; one that differs is listed below.
      const entry = counts.get(rank.eventId);
      if (entry === undefined) counts.set(rank.eventId, { rank, count: 1 });
      else entry.count += 1;
    }
    let base: { rank: Rank; count: number } | undefined;
    for (const entry of counts.values()) if (base === undefined || entry.count > base.count) base = entry;
    const common = base?.rank;
    const fields = [...this.#fields].map(([key, { rank, ...rest }]): [FieldKey, Partial<SettledField>] => [
      key,
      common !== undefined && compareRanks(rank, common) === 0 ? rest : { rank, ...rest },
    ]);
    return {
      ...(common === undefined ? {} : { base: common }),
      ...(this.#floor === undefined ? {} : { floor: this.#floor }),
      fields: Object.fromEntries(fields),
    };
  }
}

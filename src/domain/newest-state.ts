import { columnAt } from './columns.ts';
import type { Field } from './entity.ts';
import type { FieldValue } from './ledger.ts';
import type { Rank } from './rank.ts';
import { compareRanks } from './rank.ts';
import type { Column, Snapshot } from './snapshot.ts';

interface RankedSnapshot {
  readonly snapshot: Snapshot;
  readonly rank: Rank;
}

/**
 * The newest snapshots seen of an asset, one per group of aspects: snapshots do not always carry tags and owners.
 * Invariant: a slot holds the highest-ranked snapshot of `structure`'s entity id that carries its aspect; what belongs to an
 * entity of another id (deleted and created again) is never mixed in.
 */
export interface NewestState {
  /** Descriptions, columns and everything else that every snapshot carries. */
  readonly structure?: RankedSnapshot;
  readonly tags?: RankedSnapshot;
  readonly owners?: RankedSnapshot;
}

/** Takes a snapshot into account. `trustEmptyTags` is a wrong rule that exists for tests. */
export function withSnapshot(state: NewestState, snapshot: Snapshot, rank: Rank, trustEmptyTags = false): NewestState {
  const seen: RankedSnapshot = {
    snapshot: trustEmptyTags && snapshot.tags === undefined ? { ...snapshot, tags: [] } : snapshot,
    rank,
  };
  const structure = newer(state.structure, seen);
  const { entityId } = structure.snapshot;
  const tags = newestCarrying('tags', state.tags, seen, entityId);
  const owners = newestCarrying('owners', state.owners, seen, entityId);
  return { structure, ...(tags === undefined ? {} : { tags }), ...(owners === undefined ? {} : { owners }) };
}

/** The newest value of a field. Unknown where no snapshot carried its aspect, and for a column that the newest state lacks. */
export function newestValue(state: NewestState, field: Field): FieldValue {
  const { structure } = state;
  if (structure === undefined) return { known: false };
  const here = field.column === undefined ? structure.snapshot : columnAt(structure.snapshot.columns, field.column);
  if (here === undefined) return { known: false };
  if (field.aspect === 'description') {
    const text = here.description === '' ? undefined : here.description;
    return { known: true, aspect: 'description', rank: structure.rank, text };
  }
  const slot = state[field.aspect];
  if (slot === undefined) return { known: false };
  if (field.aspect === 'owners') {
    if (field.column !== undefined || slot.snapshot.owners === undefined) return { known: false };
    return { known: true, aspect: 'owners', rank: slot.rank, owners: slot.snapshot.owners };
  }
  const tags = field.column === undefined ? slot.snapshot.tags : columnAt(slot.snapshot.columns, field.column)?.tags;
  return tags === undefined ? { known: false } : { known: true, aspect: 'tags', rank: slot.rank, tags };
}

/** The newest state as one snapshot; undefined before any snapshot was seen. */
export function mergedSnapshot(state: NewestState): Snapshot | undefined {
  return state.structure === undefined ? undefined : withKnownAspects(state.structure.snapshot, state);
}

/** The snapshot with tags and owners that it lacks filled in from the newest snapshots that carry them. */
export function withKnownAspects(snapshot: Snapshot, state: NewestState): Snapshot {
  const tagged = state.tags?.snapshot;
  const owned = state.owners?.snapshot;
  const sameEntity = snapshot.entityId === state.structure?.snapshot.entityId;
  if (!sameEntity) return snapshot;
  const complete = snapshot.tags !== undefined && snapshot.owners !== undefined;
  if (complete || (tagged?.tags === undefined && owned?.owners === undefined)) return snapshot;
  return {
    ...snapshot,
    ...(snapshot.tags === undefined && tagged?.tags !== undefined
      ? { tags: tagged.tags, columns: withTagsOf(snapshot.columns, tagged.columns) }
      : {}),
    ...(snapshot.owners === undefined && owned?.owners !== undefined ? { owners: owned.owners } : {}),
  };
}

function withTagsOf(columns: readonly Column[], tagged: readonly Column[]): readonly Column[] {
  return columns.map((column) => {
    const other = tagged.find((candidate) => candidate.name === column.name);
    return { ...column, tags: other?.tags ?? [], children: withTagsOf(column.children, other?.children ?? []) };
  });
}

/** The newer of the two that is of this entity and carries the aspect. */
function newestCarrying(
  aspect: 'tags' | 'owners',
  present: RankedSnapshot | undefined,
  next: RankedSnapshot,
  entityId: string,
): RankedSnapshot | undefined {
  const kept = present?.snapshot.entityId === entityId && present.snapshot[aspect] !== undefined ? present : undefined;
  return next.snapshot.entityId === entityId && next.snapshot[aspect] !== undefined ? newer(kept, next) : kept;
}

function newer(present: RankedSnapshot | undefined, next: RankedSnapshot): RankedSnapshot {
  return present === undefined || compareRanks(next.rank, present.rank) >= 0 ? next : present;
}

import type { EntityType } from './entity.ts';
import type { JsonObject } from './json.ts';

/** A label as OpenMetadata attaches it; identity is (`source`, `tagFQN`). */
export interface TagLabel {
  readonly tagFQN: string;
  readonly source: 'Classification' | 'Glossary';
  /** `Manual`, `Propagated`, `Automated`, `Derived`, `Generated`, … */
  readonly labelType: string;
  /** `Suggested` or `Confirmed`. */
  readonly state: string;
}

/** A person or team as an entity reference; it carries no e-mail address. */
export interface OwnerReference {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly displayName?: string;
  /** Taken over from a parent entity, not set on this one. */
  readonly inherited: boolean;
}

export interface Column {
  readonly name: string;
  /** Names from the top-level column down to this one. */
  readonly path: readonly string[];
  readonly dataType: string;
  /** Absent: none. */
  readonly description?: string;
  readonly tags: readonly TagLabel[];
  readonly children: readonly Column[];
}

/**
 * The entity as an event carried it.
 * `tags`, `owners`: undefined means *not loaded*, nothing is known; an empty list means that there are none.
 * When `tags` is undefined the tags of the columns are unknown too (they then read as empty lists).
 */
export interface Snapshot {
  readonly entityId: string;
  readonly entityType: EntityType;
  /** Canonical FQN (`formatFqn` of its parts). */
  readonly fqn: string;
  readonly name: string;
  readonly displayName?: string;
  readonly service: string;
  readonly serviceType?: string;
  /** Name of the database; set for all three entity types. */
  readonly database: string;
  /** Name of the schema; set for schemas and tables. */
  readonly schema?: string;
  /** OpenMetadata's `tableType`: Regular, View, MaterializedView, External, Foreign, Partitioned, … */
  readonly tableType?: string;
  /** Absent: the entity has no description (or, rarely, it was not loaded: descriptions are always loaded). */
  readonly description?: string;
  readonly tags?: readonly TagLabel[];
  readonly owners?: readonly OwnerReference[];
  readonly domains: readonly string[];
  readonly extension: JsonObject;
  readonly columns: readonly Column[];
  readonly version: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  readonly updatedBy?: string;
  readonly deleted: boolean;
  /** The members that filters may name and that are not modelled here, as they were sent. */
  readonly extra: JsonObject;
}

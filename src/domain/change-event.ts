import type { EntityType } from './entity.ts';
import type { Json } from './json.ts';
import type { Snapshot } from './snapshot.ts';

/** `added`, `updated`, `deleted`: the list of the change description that the field stood in. */
export interface FieldChange {
  readonly kind: 'added' | 'updated' | 'deleted';
  /** As sent: `description`, `tags`, `columns.lat.description`, … */
  readonly name: string;
  /** JSON strings of list-typed fields are already parsed. */
  readonly oldValue?: Json;
  readonly newValue?: Json;
}

/** A change event of OpenMetadata/Collate about one of the entity types that can be written back, parsed and checked. */
export interface ChangeEvent {
  readonly id: string;
  readonly eventType: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  /** Canonical FQN of the entity. */
  readonly fqn: string;
  readonly service: string;
  /** Who made the change. Never taken from the snapshot's `updatedBy`. */
  readonly userName: string;
  readonly impersonatedBy?: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly currentVersion: number;
  /** `changeDescription.previousVersion`; the envelope's own member of that name means nothing. */
  readonly previousVersion?: number;
  /** Undefined: the event carried no change description at all, which is not the same as an empty one. */
  readonly changes?: readonly FieldChange[];
  /** Field name → epoch milliseconds of its latest change, from `changeSummary`. */
  readonly changedAt: ReadonlyMap<string, number>;
  /** Undefined: the event carried no entity, or one that cannot be read. */
  readonly snapshot?: Snapshot;
}

/** The entity types whose metadata is written back, in OpenMetadata's spelling. */
export const ENTITY_TYPES = ['database', 'databaseSchema', 'table'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** What of an object is written. */
export const ASPECTS = ['description', 'tags', 'owners'] as const;
export type Aspect = (typeof ASPECTS)[number];

/** Where in the hierarchy the written object stands. */
export const LEVELS = ['database', 'schema', 'table', 'column'] as const;
export type Level = (typeof LEVELS)[number];

export function levelOf(entityType: EntityType, isColumn: boolean): Level {
  if (isColumn) return 'column';
  return entityType === 'databaseSchema' ? 'schema' : entityType;
}

/**
 * One thing that can be settled on its own: an aspect of the entity itself, or of one of its columns.
 * `column` is the path of column names from the top (`['address', 'geo', 'lat']`), absent for the entity itself.
 */
export interface Field {
  readonly aspect: Aspect;
  readonly column?: readonly string[];
}

/** A map key for a field; distinct fields have distinct keys, whatever characters names hold. `description`, `tags:["a","b.c"]`. */
export type FieldKey = string;

export function fieldKey(field: Field): FieldKey {
  return field.column === undefined ? field.aspect : `${field.aspect}:${JSON.stringify(field.column)}`;
}

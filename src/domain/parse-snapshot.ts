import type { EntityType } from './entity.ts';
import { decodeReserved, formatFqn, parseFqn } from './fqn.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { readOwners, readTagLabels } from './labels.ts';
import type { Column, Snapshot } from './snapshot.ts';

/** How many parts the FQN of each entity type has: service, database, schema, table. */
export const FQN_PARTS: Readonly<Record<EntityType, number>> = { database: 2, databaseSchema: 3, table: 4 };

const NONE: readonly never[] = [];

/** Members that filters may name and the snapshot does not model; everything else of the entity is let go. */
const EXTRA = ['reviewers', 'dataProducts', 'certification', 'entityStatus', 'sourceUrl', 'retentionPeriod'] as const;

/**
 * Reads an entity as events and the REST API carry it. Undefined where it is no entity of that type with a usable name.
 * `fallbackFqn`: the envelope's `entityFullyQualifiedName`.
 */
export function parseSnapshot(entity: Json, entityType: EntityType, fallbackFqn?: string): Snapshot | undefined {
  if (!isJsonObject(entity)) return undefined;
  const parts = nameParts(entity, entityType, fallbackFqn);
  if (parts === undefined) return undefined;
  const [service, database, schema] = parts;
  const name = parts.at(-1);
  if (service === undefined || database === undefined || name === undefined) return undefined;
  const displayName = text(entity.displayName);
  const serviceType = text(entity.serviceType);
  const tableType = text(entity.tableType);
  const description = text(entity.description);
  const updatedBy = text(entity.updatedBy);
  return {
    entityId: text(entity.id) ?? '',
    entityType,
    fqn: formatFqn(parts),
    name,
    ...(displayName === undefined ? {} : { displayName }),
    service,
    ...(serviceType === undefined ? {} : { serviceType }),
    database,
    ...(schema === undefined ? {} : { schema }),
    ...(tableType === undefined ? {} : { tableType }),
    ...(description === undefined ? {} : { description }),
    ...(entity.tags === undefined || entity.tags === null ? {} : { tags: readTagLabels(entity.tags) }),
    ...ownersOf(entity),
    domains: domainNames(entity.domains ?? entity.domain),
    extension: isJsonObject(entity.extension) ? entity.extension : {},
    columns: readColumns(entity.columns, [], entity.tags !== undefined && entity.tags !== null),
    version: typeof entity.version === 'number' ? entity.version : 0,
    updatedAt: typeof entity.updatedAt === 'number' ? entity.updatedAt : 0,
    ...(updatedBy === undefined ? {} : { updatedBy }),
    deleted: entity.deleted === true,
    extra: extraOf(entity),
  };
}

/** Reads columns with their children. `withTags` false: tags were not loaded and read as empty lists. */
export function readColumns(value: Json | undefined, parent: readonly string[], withTags: boolean): readonly Column[] {
  if (!Array.isArray(value) || value.length === 0) return NONE;
  const columns: Column[] = [];
  for (const item of value as readonly Json[]) {
    if (!isJsonObject(item) || typeof item.name !== 'string' || item.name === '') continue;
    const name = decodeReserved(item.name);
    const path = [...parent, name];
    const description = text(item.description);
    columns.push({
      name,
      path,
      dataType: text(item.dataType) ?? '',
      ...(description === undefined ? {} : { description }),
      tags: withTags ? readTagLabels(item.tags) : NONE,
      children: readColumns(item.children, path, withTags),
    });
  }
  return columns;
}

/** Names of domains from references (or plain strings). */
export function domainNames(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return NONE;
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return list.flatMap((item) => {
    if (typeof item === 'string') return [item];
    if (!isJsonObject(item)) return [];
    const name = text(item.fullyQualifiedName) ?? text(item.name);
    return name === undefined ? [] : [name];
  });
}

/** Decoded parts of an FQN, when it has as many as the type needs. */
export function entityNameParts(fqn: string | undefined, entityType: EntityType): readonly string[] | undefined {
  if (fqn === undefined) return undefined;
  const parts = parseFqn(fqn);
  if (!parts.ok || parts.value.length !== FQN_PARTS[entityType] || parts.value.includes('')) return undefined;
  return parts.value.map(decodeReserved);
}

function nameParts(entity: JsonObject, entityType: EntityType, fallback?: string): readonly string[] | undefined {
  return (
    entityNameParts(text(entity.fullyQualifiedName), entityType) ??
    entityNameParts(fallback, entityType) ??
    partsFromReferences(entity, entityType)
  );
}

/** A name with a quote and a dot has an FQN that cannot be split; the parents' names still tell the parts. */
function partsFromReferences(entity: JsonObject, entityType: EntityType): readonly string[] | undefined {
  const members = ['service', 'database', 'databaseSchema'].slice(0, FQN_PARTS[entityType] - 1);
  const parts = members.map((member) => {
    const reference = entity[member];
    return isJsonObject(reference) ? text(reference.name) : undefined;
  });
  parts.push(text(entity.name));
  const known = parts.filter((part): part is string => part !== undefined && part !== '');
  return known.length === parts.length ? known.map(decodeReserved) : undefined;
}

function extraOf(entity: JsonObject): JsonObject {
  const extra: Record<string, Json> = {};
  for (const name of EXTRA) {
    const value = entity[name];
    if (value !== undefined) extra[name] = value;
  }
  return extra;
}

function ownersOf(entity: JsonObject): Pick<Snapshot, 'owners'> {
  const value = entity.owners ?? entity.owner;
  return value === undefined || value === null ? {} : { owners: readOwners(value) };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

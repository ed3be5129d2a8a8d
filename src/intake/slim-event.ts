import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';

/** Members of the envelope that the domain reads. */
const ENVELOPE = new Set([
  'id',
  'eventType',
  'entityType',
  'entityId',
  'entityFullyQualifiedName',
  'userName',
  'impersonatedBy',
  'timestamp',
  'currentVersion',
  'previousVersion',
  'changeDescription',
  'entity',
]);

/** Members of an entity that are large and that neither writes nor filters need. */
const BULK = new Set([
  'sampleData',
  'joins',
  'profile',
  'followers',
  'votes',
  'changeDescription',
  'incrementalChangeDescription',
  'href',
  'usageSummary',
  'testSuite',
  'queries',
  'lifeCycle',
  'lineage',
  'tableProfilerConfig',
  'databaseProfilerConfig',
  'databaseSchemaProfilerConfig',
  'schemaDefinition',
  'viewDefinition',
  'dataModel',
  'tableConstraints',
  'customMetrics',
  'processedLineage',
  'tables',
  'databaseSchemas',
]);

/** Members of a column that are read. */
const COLUMN = new Set(['name', 'displayName', 'dataType', 'description', 'fullyQualifiedName', 'tags', 'children']);

/** Members of a label that are read; its own description, style and display name are not. */
const LABEL = new Set(['tagFQN', 'source', 'labelType', 'state']);

/** Members of a reference (owner, domain, service …) that are read; a reference's description is not. */
const REFERENCE = new Set(['id', 'type', 'name', 'fullyQualifiedName', 'displayName', 'inherited', 'deleted']);

/** Of a change to a bulky field only the name is kept. */
const NAME_ONLY = new Set(['name']);

/** An event as bytes. `large`: too large for one message even when slimmed. */
export interface FittedEvent {
  readonly data: Uint8Array;
  readonly fit: 'whole' | 'slimmed' | 'large';
}

/** The event as the bytes of a message of at most `limit` bytes: whole where it fits, else slimmed, if that is enough. */
export function fitEvent(event: JsonObject, limit: number): FittedEvent {
  const text = JSON.stringify(event);
  // No text takes fewer bytes than it has characters: a large one need not be encoded to know that.
  const whole = text.length <= limit ? Buffer.from(text) : undefined;
  if (whole !== undefined && whole.byteLength <= limit) return { data: whole, fit: 'whole' };
  const slim = Buffer.from(JSON.stringify(slimEvent(event)));
  return { data: slim, fit: slim.byteLength <= limit ? 'slimmed' : 'large' };
}

/**
 * The event without what no lane needs, for events that are too large for one message. Texts, tags, owners and columns stay whole.
 * `entity` becomes an object, which takes far less room than JSON inside a JSON string.
 */
export function slimEvent(event: JsonObject): JsonObject {
  const kept = pick(event, ENVELOPE);
  return mapMembers(kept, (key, value) => {
    if (key === 'entity') return slimEntity(value);
    if (key === 'changeDescription' && isJsonObject(value)) return slimChanges(value);
    return value;
  });
}

function slimEntity(value: Json): Json {
  const entity = typeof value === 'string' ? parseObject(value) : value;
  if (!isJsonObject(entity)) return value;
  const kept = mapMembers(entity, (key, member) => (BULK.has(key) ? undefined : member));
  return mapMembers(kept, (key, member) => {
    if (key === 'columns') return mapItems(member, slimColumn);
    if (key === 'tags') return mapItems(member, (label) => pick(label, LABEL));
    if (key === 'owners' || key === 'domains' || key === 'experts') return mapItems(member, slimReference);
    if (key === 'owner' || key === 'domain' || key === 'service' || key === 'database' || key === 'databaseSchema') {
      return isJsonObject(member) ? slimReference(member) : member;
    }
    return member;
  });
}

function slimColumn(column: JsonObject): JsonObject {
  return mapMembers(pick(column, COLUMN), (key, member) => {
    if (key === 'children') return mapItems(member, slimColumn);
    if (key === 'tags') return mapItems(member, (label) => pick(label, LABEL));
    return member;
  });
}

function slimReference(reference: JsonObject): JsonObject {
  return pick(reference, REFERENCE);
}

function slimChanges(description: JsonObject): JsonObject {
  return mapMembers(description, (key, member) => {
    if (key === 'previousVersion' || key === 'changeSummary') return member;
    return mapItems(member, (change) => {
      const first = typeof change.name === 'string' ? (change.name.split('.')[0] ?? '') : '';
      return BULK.has(first) ? pick(change, NAME_ONLY) : change;
    });
  });
}

/** Object.fromEntries defines members, so a key `__proto__` stays the harmless text that it is. */
function mapMembers(object: JsonObject, change: (key: string, value: Json) => Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      const changed = value === undefined ? undefined : change(key, value);
      return changed === undefined ? [] : [[key, changed]];
    }),
  );
}

function mapItems(value: Json, change: (item: JsonObject) => Json): Json {
  return Array.isArray(value) ? value.map((item: Json) => (isJsonObject(item) ? change(item) : item)) : value;
}

function pick(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return mapMembers(object, (key, value) => (keys.has(key) ? value : undefined));
}

function parseObject(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

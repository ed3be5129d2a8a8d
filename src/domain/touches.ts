import type { ChangeEvent, FieldChange } from './change-event.ts';
import { changesNamed } from './changes-named.ts';
import { addedColumnTouches } from './column-changes.ts';
import { columnCandidates, columnsByLastSegment, flattenColumns, literalPath } from './columns.ts';
import { type Field, type FieldKey, fieldKey } from './entity.ts';
import type { EventTouch } from './event-touch.ts';
import { isJsonObject, type Json } from './json.ts';
import { readTagLabels, unionOfTags, withoutTags } from './labels.ts';
import type { Doubt } from './ledger.ts';
import { CORRECT_RULES, type LedgerRules } from './ledger-rules.ts';
import type { Column, Snapshot, TagLabel } from './snapshot.ts';

export interface TouchContext {
  /** Columns to resolve names against when the event carries none. */
  readonly columns?: readonly Column[];
  readonly rules?: LedgerRules;
}

/** Diffs that concern nothing that is written to a source. Whatever is not known here touches the whole entity. */
const HARMLESS = new Set(
  (
    'displayName name votes followers domain domains dataProducts experts reviewers style extension certification lifeCycle ' +
    'tableConstraints tablePartition tableType retentionPeriod sourceUrl sourceHash fileFormat locationPath deleted href ' +
    'testSuite usageSummary joins sampleData tableProfilerConfig databaseProfilerConfig databaseSchemaProfilerConfig ' +
    'queries schemaDefinition dataModel entityStatus processedLineage provider assets'
  ).split(' '),
);
const HARMLESS_OF_COLUMNS = new Set(
  (
    'displayName dataLength dataTypeDisplay dataType precision scale constraint ordinalPosition arrayDataType jsonSchema ' +
    'style extension customMetrics profile'
  ).split(' '),
);

/** The entity was deleted, softly or for good. Such an event touches nothing by itself. */
export function isDeletion(event: ChangeEvent): boolean {
  if (event.eventType === 'entityDeleted' || event.eventType === 'entitySoftDeleted') return true;
  return changesNamed(event.changes ?? [], 'deleted').some(({ newValue }) => newValue === true);
}

/** The event says nothing about what changed, or brings the entity (back): every aspect that the snapshot carries counts. */
export function touchesWhole(event: ChangeEvent): boolean {
  if (isDeletion(event)) return false;
  if (event.changes === undefined || event.eventType === 'entityCreated' || event.eventType === 'entityRestored')
    return true;
  return event.changes.some((change) => (change.name === 'deleted' && change.newValue === false) || !isKnown(change));
}

/** The event can change nothing that is ever written: votes, followers, display names, domains. */
export function isIgnorable(event: ChangeEvent): boolean {
  return !isDeletion(event) && touchesOf(event).length === 0;
}

/** The fields that an event touches by itself, each once. */
export function touchesOf(event: ChangeEvent, context: TouchContext = {}): readonly EventTouch[] {
  if (isDeletion(event)) return [];
  const only = event.changes?.length === 1 ? event.changes[0] : undefined;
  if (only !== undefined && !touchesWhole(event)) {
    const touched = touchesOfChange(event, only, context);
    if (touched.length <= 1) return touched;
  }
  const touches = new Map<FieldKey, EventTouch>();
  const add = (touch: EventTouch): void => {
    const present = touches.get(touch.key);
    touches.set(touch.key, present === undefined ? touch : mergeTouches(present, touch));
  };
  for (const change of event.changes ?? []) for (const touch of touchesOfChange(event, change, context)) add(touch);
  if (touchesWhole(event)) {
    const doubts: readonly Doubt[] =
      event.changes === undefined && event.eventType !== 'entityCreated' ? ['no-change-description'] : [];
    for (const field of carriedFields(event.snapshot))
      add({ field, key: fieldKey(field), reason: 'whole', removedTags: [], doubts });
  }
  return [...touches.values()];
}

/** The fields that a snapshot carries with a value. */
export function carriedFields(snapshot: Snapshot | undefined): readonly Field[] {
  if (snapshot === undefined) return [];
  const fields: Field[] = [];
  if (snapshot.description) fields.push({ aspect: 'description' });
  if (snapshot.tags !== undefined && snapshot.tags.length > 0) fields.push({ aspect: 'tags' });
  if (snapshot.owners !== undefined && snapshot.owners.length > 0) fields.push({ aspect: 'owners' });
  for (const column of flattenColumns(snapshot.columns)) {
    if (column.description) fields.push({ aspect: 'description', column: column.path });
    if (snapshot.tags !== undefined && column.tags.length > 0) fields.push({ aspect: 'tags', column: column.path });
  }
  return fields;
}

/** The path inside `columns.<path>.<attribute>`, for the two attributes that are written. */
export function columnAttribute(
  name: string,
): { readonly path: string; readonly aspect: 'description' | 'tags' } | undefined {
  const match = /^columns\.(.+)\.(description|tags)$/s.exec(name);
  if (match === null) return undefined;
  return { path: match[1] ?? '', aspect: match[2] === 'tags' ? 'tags' : 'description' };
}

/** The columns that a change of `columns.<path>.<attribute>` means, and whether that is certain. */
export function resolveColumns(
  change: FieldChange,
  attribute: { readonly path: string; readonly aspect: 'description' | 'tags' },
  columns: readonly Column[],
  tagsKnown: boolean,
  rules: LedgerRules,
): { readonly columns: readonly Column[]; readonly several: boolean; readonly doubtful: boolean } {
  if (rules.columns === 'last-segment') {
    return { columns: columnsByLastSegment(attribute.path, columns), several: false, doubtful: false };
  }
  const candidates = columnCandidates(attribute.path, columns);
  if (candidates.length <= 1) return { columns: candidates, several: false, doubtful: false };
  if (attribute.aspect === 'tags' && !tagsKnown) return { columns: candidates, several: true, doubtful: true };
  const agreeing = candidates.filter((column) => agrees(change, attribute.aspect, column));
  return agreeing.length > 0
    ? { columns: agreeing, several: true, doubtful: false }
    : { columns: candidates, several: true, doubtful: true };
}

/** Tags that a change took away. */
export function removedTagsOf(change: FieldChange): readonly TagLabel[] {
  if (change.kind === 'added') return [];
  return withoutTags(readTagLabels(change.oldValue), readTagLabels(change.newValue));
}

function touchesOfChange(event: ChangeEvent, change: FieldChange, context: TouchContext): readonly EventTouch[] {
  const rules = context.rules ?? CORRECT_RULES;
  if (change.name === 'description') return [entityTouch('description', change)];
  if (change.name === 'tags') return [entityTouch('tags', change)];
  if (change.name === 'owners' || change.name === 'owner') return [entityTouch('owners', change)];
  if (isColumnList(change)) return addedColumnTouches(event, change);
  const attribute = columnAttribute(change.name);
  if (attribute === undefined) return [];
  const known = event.snapshot?.columns ?? context.columns ?? [];
  const tagsKnown = event.snapshot?.tags !== undefined || rules.emptyTags === 'trusted';
  const resolved = resolveColumns(change, attribute, known, tagsKnown, rules);
  const removedTags = attribute.aspect === 'tags' ? removedTagsOf(change) : [];
  if (resolved.columns.length === 0) {
    const field: Field = { aspect: attribute.aspect, column: literalPath(attribute.path) };
    return [
      {
        field,
        key: fieldKey(field),
        reason: 'diff',
        removedTags,
        doubts: ['field-not-in-snapshot'],
        name: change.name,
      },
    ];
  }
  const absent = event.snapshot === undefined || (attribute.aspect === 'tags' && !tagsKnown);
  return resolved.columns.map((column) => {
    const field: Field = { aspect: attribute.aspect, column: column.path };
    const doubts: Doubt[] = [];
    if (resolved.doubtful) doubts.push('ambiguous-column');
    if (absent) doubts.push('field-not-in-snapshot');
    return {
      field,
      key: fieldKey(field),
      reason: resolved.several ? 'ambiguous-column' : 'diff',
      removedTags,
      doubts,
      name: change.name,
    };
  });

  function entityTouch(aspect: 'description' | 'tags' | 'owners', of: FieldChange): EventTouch {
    const { snapshot } = event;
    const carried =
      snapshot !== undefined &&
      (aspect === 'description' ||
        snapshot[aspect] !== undefined ||
        (aspect === 'tags' && rules.emptyTags === 'trusted'));
    return {
      field: { aspect },
      key: fieldKey({ aspect }),
      reason: 'diff',
      removedTags: aspect === 'tags' ? removedTagsOf(of) : [],
      doubts: carried ? [] : ['field-not-in-snapshot'],
      name: of.name,
    };
  }
}

function agrees(change: FieldChange, aspect: 'description' | 'tags', column: Column): boolean {
  if (aspect === 'description') return (column.description ?? '') === (change.newValue ?? '');
  const has = new Set(column.tags.map((tag) => tag.tagFQN));
  const added = withoutTags(readTagLabels(change.newValue), readTagLabels(change.oldValue));
  return added.every((tag) => has.has(tag.tagFQN)) && removedTagsOf(change).every((tag) => !has.has(tag.tagFQN));
}

/** `columns`, or `columns.<struct>`, with a list of columns as its value. */
function isColumnList(change: FieldChange): boolean {
  if (change.name === 'columns') return true;
  return change.name.startsWith('columns.') && (isColumnArray(change.newValue) || isColumnArray(change.oldValue));
}

function isColumnArray(value: Json | undefined): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return (value as readonly Json[]).every(
    (item) => isJsonObject(item) && typeof item.name === 'string' && item.dataType !== undefined,
  );
}

function isKnown(change: FieldChange): boolean {
  const { name } = change;
  if (['description', 'tags', 'owners', 'owner'].includes(name) || columnAttribute(name) !== undefined) return true;
  if (isColumnList(change) || HARMLESS.has(name)) return true;
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (name.startsWith('columns.')) return HARMLESS_OF_COLUMNS.has(last) || name.includes('.extension.');
  return HARMLESS.has(name.slice(0, name.indexOf('.') === -1 ? undefined : name.indexOf('.')));
}

function mergeTouches(a: EventTouch, b: EventTouch): EventTouch {
  const name = a.name ?? b.name;
  return {
    ...a,
    reason: a.reason === 'whole' ? b.reason : a.reason,
    removedTags: unionOfTags(a.removedTags, b.removedTags),
    doubts: [...new Set([...a.doubts, ...b.doubts])],
    ...(name === undefined ? {} : { name }),
  };
}

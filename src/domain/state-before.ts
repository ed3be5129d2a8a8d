import type { ChangeEvent, FieldChange } from './change-event.ts';
import { columnsIn } from './column-changes.ts';
import { flattenColumns } from './columns.ts';
import type { Json, JsonObject } from './json.ts';
import { isJsonObject } from './json.ts';
import { readOwners, readTagLabels, unionOfTags, withoutOwners, withoutTags } from './labels.ts';
import { CORRECT_RULES } from './ledger-rules.ts';
import { domainNames } from './parse-snapshot.ts';
import type { Column, Snapshot } from './snapshot.ts';
import { columnAttribute, removedTagsOf, resolveColumns } from './touches.ts';

/**
 * The entity as it was before a change: its snapshot with the diff taken back. Undefined where that cannot be told: without a
 * snapshot or a change description, and before a creation. Aspects that the snapshot does not carry stay unknown.
 */
export function stateBefore(event: ChangeEvent): Snapshot | undefined {
  const { snapshot, changes } = event;
  if (snapshot === undefined || changes === undefined || event.eventType === 'entityCreated') return undefined;
  return [...changes].reverse().reduce((state, change) => takeBack(state, change, event), snapshot);
}

function takeBack(state: Snapshot, change: FieldChange, event: ChangeEvent): Snapshot {
  switch (change.name) {
    case 'description':
      return withText(state, 'description', change.oldValue);
    case 'displayName':
      return withText(state, 'displayName', change.oldValue);
    case 'tags':
      return state.tags === undefined ? state : { ...state, tags: tagsBefore(state.tags, change) };
    case 'owners':
    case 'owner': {
      if (state.owners === undefined) return state;
      const old = readOwners(change.oldValue);
      return { ...state, owners: [...withoutOwners(state.owners, [...readOwners(change.newValue), ...old]), ...old] };
    }
    case 'domains':
    case 'domain': {
      const old = domainNames(change.oldValue);
      const added = new Set([...domainNames(change.newValue), ...old]);
      return { ...state, domains: [...state.domains.filter((domain) => !added.has(domain)), ...old] };
    }
    case 'deleted':
      return { ...state, deleted: change.oldValue === true };
    case 'extension':
      return { ...state, extension: extensionBefore(state.extension, change) };
    case 'columns':
      return { ...state, columns: columnsBefore(state.columns, event, change) };
    default:
      return takeBackNested(state, change, event);
  }
}

function takeBackNested(state: Snapshot, change: FieldChange, event: ChangeEvent): Snapshot {
  if (change.name.startsWith('extension.')) {
    const key = change.name.slice('extension.'.length);
    const rest = Object.fromEntries(Object.entries(state.extension).filter(([name]) => name !== key));
    return { ...state, extension: change.oldValue === undefined ? rest : { ...rest, [key]: change.oldValue } };
  }
  const attribute = columnAttribute(change.name);
  if (attribute === undefined || (attribute.aspect === 'tags' && state.tags === undefined)) return state;
  // The columns are found in the event's own snapshot, since its values are what the change has to agree with.
  const resolved = resolveColumns(change, attribute, event.snapshot?.columns ?? [], true, CORRECT_RULES);
  const paths = new Set(resolved.columns.map((column) => JSON.stringify(column.path)));
  return {
    ...state,
    columns: mapColumns(state.columns, (column) => {
      if (!paths.has(JSON.stringify(column.path))) return column;
      if (attribute.aspect === 'tags') return { ...column, tags: tagsBefore(column.tags, change) };
      return withText(column, 'description', change.oldValue);
    }),
  };
}

function tagsBefore(tags: Snapshot['tags'] & object, change: FieldChange) {
  const added = withoutTags(readTagLabels(change.newValue), readTagLabels(change.oldValue));
  return unionOfTags(withoutTags(tags, added), removedTagsOf(change));
}

function withText<T extends object>(state: T, member: 'description' | 'displayName', value: Json | undefined): T {
  const rest = Object.fromEntries(Object.entries(state).filter(([name]) => name !== member)) as T;
  return typeof value === 'string' ? { ...rest, [member]: value } : rest;
}

/** Added or removed as a list of one-key objects, `[{"k": v}]`. */
function extensionBefore(extension: JsonObject, change: FieldChange): JsonObject {
  const added = new Set(entriesOf(change.newValue).map(([key]) => key));
  return Object.fromEntries([
    ...Object.entries(extension).filter(([key]) => !added.has(key)),
    ...entriesOf(change.oldValue),
  ]);
}

function entriesOf(value: Json | undefined): [string, Json | undefined][] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : value === undefined ? [] : [value];
  return list.flatMap((item) => (isJsonObject(item) ? Object.entries(item) : []));
}

/** Top-level columns only: children of a struct that came or went do not bear on any filter. */
function columnsBefore(columns: readonly Column[], event: ChangeEvent, change: FieldChange): readonly Column[] {
  const added = new Set(columnsIn(event, change, 'new').map((column) => column.name));
  const removed = columnsIn(event, change, 'old');
  const kept = columns.filter((column) => !added.has(column.name));
  return [...kept, ...removed.filter((column) => !kept.some((other) => other.name === column.name))];
}

function mapColumns(columns: readonly Column[], change: (column: Column) => Column): readonly Column[] {
  return columns.map((column) => change({ ...column, children: mapColumns(column.children, change) }));
}

/** Hashable content of the three aspects of a snapshot, columns included: what an undo must find to be the one that took it back. */
export function aspectContents(snapshot: Snapshot): {
  readonly description: readonly string[];
  readonly tags?: readonly string[];
  readonly owners?: readonly string[];
} {
  const columns = flattenColumns(snapshot.columns);
  const description = columns.flatMap((column) =>
    column.description ? [JSON.stringify([column.path, column.description])] : [],
  );
  if (snapshot.description) description.push(JSON.stringify(snapshot.description));
  const { tags, owners } = snapshot;
  return {
    description,
    ...(tags === undefined
      ? {}
      : {
          tags: [
            ...tags.map((tag) => `${tag.source}:${tag.tagFQN}`),
            ...columns.flatMap((column) =>
              column.tags.map((tag) => JSON.stringify([column.path, tag.source, tag.tagFQN])),
            ),
          ],
        }),
    ...(owners === undefined ? {} : { owners: owners.map((owner) => `${owner.type}:${owner.id}:${owner.name}`) }),
  };
}

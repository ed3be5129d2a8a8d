import type { FieldChange } from './change-event.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { parseJsonText } from './json-text.ts';

const LISTS = [
  ['fieldsAdded', 'added'],
  ['fieldsUpdated', 'updated'],
  ['fieldsDeleted', 'deleted'],
] as const;

/** Fields whose value is text for people; everything else that looks like JSON is JSON. */
const TEXT_FIELDS = new Set(['description', 'displayName', 'name']);

/** The diff of a change description; items without a name are left out. */
export function readFieldChanges(description: JsonObject): readonly FieldChange[] {
  return LISTS.flatMap(([member, kind]) => {
    const list = description[member];
    if (!Array.isArray(list)) return [];
    return (list as readonly Json[]).flatMap((item): FieldChange[] => {
      if (!isJsonObject(item) || typeof item.name !== 'string') return [];
      const oldValue = readValue(item.name, item.oldValue);
      const newValue = readValue(item.name, item.newValue);
      return [
        {
          kind,
          name: item.name,
          ...(oldValue === undefined ? {} : { oldValue }),
          ...(newValue === undefined ? {} : { newValue }),
        },
      ];
    });
  });
}

/** Field name → epoch milliseconds of its latest change, where the server (1.12) tells it. */
export function readChangedAt(description: JsonObject): ReadonlyMap<string, number> {
  const summary = description.changeSummary;
  const times = new Map<string, number>();
  if (!isJsonObject(summary)) return times;
  for (const [name, entry] of Object.entries(summary)) {
    if (isJsonObject(entry) && typeof entry.changedAt === 'number') times.set(name, entry.changedAt);
  }
  return times;
}

function readValue(name: string, value: Json | undefined): Json | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string' || TEXT_FIELDS.has(name.slice(name.lastIndexOf('.') + 1))) return value;
  if (!/^\s*[[{"]/.test(value)) return value;
  const parsed = parseJsonText(value);
  return parsed.ok ? parsed.value : value;
}

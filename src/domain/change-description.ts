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
  const changes: FieldChange[] = [];
  for (const [member, kind] of LISTS) {
    const list = description[member];
    if (!Array.isArray(list)) continue;
    for (const item of list as readonly Json[]) {
      if (!isJsonObject(item) || typeof item.name !== 'string') continue;
      const oldValue = readValue(item.name, item.oldValue);
      const newValue = readValue(item.name, item.newValue);
      changes.push({
        kind,
        name: item.name,
        ...(oldValue === undefined ? {} : { oldValue }),
        ...(newValue === undefined ? {} : { newValue }),
      });
    }
  }
  return changes;
}

/** Field name → epoch milliseconds of its latest change, where the server (1.12) tells it. */
export function readChangedAt(description: JsonObject): ReadonlyMap<string, number> {
  const summary = description.changeSummary;
  if (!isJsonObject(summary)) return NO_TIMES;
  const times = new Map<string, number>();
  for (const [name, entry] of Object.entries(summary)) {
    if (isJsonObject(entry) && typeof entry.changedAt === 'number') times.set(name, entry.changedAt);
  }
  return times;
}

/** Of an event that tells none. */
export const NO_TIMES: ReadonlyMap<string, number> = new Map();

function readValue(name: string, value: Json | undefined): Json | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string' || TEXT_FIELDS.has(name.slice(name.lastIndexOf('.') + 1))) return value;
  if (!/^\s*[[{"]/.test(value)) return value;
  const parsed = parseJsonText(value);
  return parsed.ok ? parsed.value : value;
}

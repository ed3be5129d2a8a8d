import type { FieldChange } from './change-event.ts';

/** From so many changes in one event on they are kept by name: each field that is decided asks for its own. */
const MANY_CHANGES = 32;
const known = new WeakMap<readonly FieldChange[], ReadonlyMap<string, readonly FieldChange[]>>();

/** The changes of an event that have exactly this name, in the order of the event. */
export function changesNamed(changes: readonly FieldChange[], name: string): readonly FieldChange[] {
  if (changes.length < MANY_CHANGES) return changes.filter((change) => change.name === name);
  let byName = known.get(changes);
  if (byName === undefined) {
    byName = Map.groupBy(changes, (change) => change.name);
    known.set(changes, byName);
  }
  return byName.get(name) ?? [];
}

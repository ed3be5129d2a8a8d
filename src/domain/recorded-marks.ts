import { hash } from 'node:crypto';
import type { Aspect } from './entity.ts';
import type { OutcomeItem, SupersededItem } from './outcome.ts';
import type { SyncState } from './sync-state.ts';

type Item = OutcomeItem | SupersededItem;

/**
 * What stands in `SyncState.partial` for everything that a change has to record about one object: short, since a change can touch
 * thousands of columns. Begins with `#`, which no touch's own name does.
 */
export function recordedMark(aspect: Aspect | undefined, object: string): string {
  const text = JSON.stringify([aspect ?? null, object]);
  return `#${hash('sha256', text, 'base64url').slice(0, 8)}`;
}

/** The state before an outcome, which says that these items of it are recorded already. */
export function withRecorded(state: SyncState, items: readonly Item[]): SyncState {
  const marks = new Map<string, Set<string>>();
  for (const { sequence, aspect, object } of items) {
    const names = marks.get(String(sequence)) ?? new Set();
    marks.set(String(sequence), names.add(recordedMark(aspect, object)));
  }
  return withPartial(state, Object.fromEntries([...marks].map(([sequence, names]) => [sequence, [...names]])));
}

/** The state with what it says of changes that are recorded in part, and this as well. */
export function withPartial(state: SyncState, more: SyncState['partial'] = {}): SyncState {
  const partial: Record<string, readonly string[]> = { ...state.partial };
  for (const [sequence, names] of Object.entries(more))
    partial[sequence] = [...new Set([...(partial[sequence] ?? []), ...names])];
  return { ...state, partial };
}

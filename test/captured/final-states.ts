import { assetKey } from '../../src/domain/asset.ts';
import { mergedSnapshot, type NewestState, withSnapshot } from '../../src/domain/newest-state.ts';
import { rankOf } from '../../src/domain/rank.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { Capture } from './captures.ts';

/** The state that the server is in at the end, from the snapshots in step order; deleted entities are not in it. */
export function finalStates(captures: readonly Capture[]): ReadonlyMap<string, Snapshot> {
  const states = new Map<string, NewestState>();
  for (const [index, { received }] of captures.entries()) {
    const { event } = received;
    const key = assetKey({ entityType: event.entityType, fqn: event.fqn });
    if (/Deleted$/.test(event.eventType)) states.delete(key);
    else if (event.snapshot !== undefined) {
      states.set(key, withSnapshot(states.get(key) ?? {}, event.snapshot, rankOf(event, index)));
    }
  }
  const merged = new Map<string, Snapshot>();
  for (const [key, state] of states) {
    const snapshot = mergedSnapshot(state);
    if (snapshot !== undefined) merged.set(key, { tags: [], owners: [], ...snapshot });
  }
  return merged;
}

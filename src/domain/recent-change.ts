import type { ChangeEvent } from './change-event.ts';
import type { FieldKey } from './entity.ts';
import type { Touch } from './ledger.ts';
import type { Rank } from './rank.ts';
import type { RecentChange } from './sync-state.ts';
import { aspectHashes, fieldHash } from './undo.ts';

/** With more touched fields than this, only the hashes of whole aspects are kept. */
const MAX_FIELDS = 16;

/** What is kept of an admitted change to recognise its copies and its undo. */
export function recentChange(event: ChangeEvent, rank: Rank, touches: readonly Touch[]): RecentChange {
  const { snapshot } = event;
  const fields: Record<FieldKey, string> = {};
  if (snapshot !== undefined && touches.length <= MAX_FIELDS) {
    for (const touch of touches) {
      const hash = fieldHash(snapshot, touch);
      if (hash !== undefined) fields[touch.key] = hash;
    }
  }
  return {
    eventId: event.id,
    entityId: event.entityId,
    currentVersion: event.currentVersion,
    ...(event.previousVersion === undefined ? {} : { previousVersion: event.previousVersion }),
    time: rank.time,
    ...(touches.every((touch) => touch.reason === 'differs') ? { quiet: true } : {}),
    fields,
    ...(snapshot === undefined || touches.length === 0 ? {} : { after: aspectHashes(snapshot) }),
  };
}

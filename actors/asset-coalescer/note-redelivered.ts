import type { Touch } from '../../src/domain/ledger.ts';
import { tagText } from '../../src/domain/tag-text.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { AssetEntry } from './asset-entry.ts';
import { passingTags } from './passing-tags.ts';

/**
 * A copy of a known change is delivered again: an owner before may have taken the copy for the change, and written its labels without
 * being able to record it. What of the change is still open counts as sent; for the rest the labels are noted as what may stand.
 */
export function noteRedelivered(entry: AssetEntry, { received }: HeldChange, touches: readonly Touch[]): void {
  const open = entry.ledger.open().flatMap(({ winner, losers }) => [winner, ...losers]);
  for (const touch of touches) {
    if (touch.field.aspect !== 'tags') continue;
    const originals = open.filter(({ eventId, key }) => eventId === touch.eventId && key === touch.key);
    for (const { sequence } of originals) entry.sent.add(sequence);
    const labels = passingTags(touch.field, [touch], () => received.event).map(tagText);
    if (originals.length > 0 || labels.length === 0) continue;
    const known = entry.ledger.settled(touch.key)?.mayStand ?? [];
    entry.ledger.settle([], [{ key: touch.key, rank: touch.rank, mayStand: [...new Set([...known, ...labels])] }]);
  }
}

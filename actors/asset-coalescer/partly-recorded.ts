import type { Touch } from '../../src/domain/ledger.ts';
import { recordedMark } from '../../src/domain/recorded-marks.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import type { AssetEntry } from './asset-entry.ts';
import { objectName } from './channel-keys.ts';

/** A touch among those of its sequence. */
function touchName(touch: Touch): string {
  return touch.channel === undefined ? touch.key : `${touch.key} of ${touch.channel}`;
}

/** Notes what of sequences that stay open is recorded with this round; what is settled as a whole needs no note any more. */
export function notePartial(entry: AssetEntry, closed: readonly Touch[], settles: readonly number[]): void {
  for (const touch of closed) {
    const names = entry.partial.get(touch.sequence) ?? new Set();
    entry.partial.set(touch.sequence, names.add(touchName(touch)));
  }
  for (const sequence of settles) entry.partial.delete(sequence);
}

export function partialState(entry: AssetEntry): Pick<SyncState, 'partial'> {
  if (entry.partial.size === 0) return {};
  return { partial: Object.fromEntries([...entry.partial].map(([sequence, names]) => [sequence, [...names]])) };
}

export function takePartial(entry: AssetEntry, state: SyncState | undefined): void {
  entry.partial.clear();
  for (const [sequence, names] of Object.entries(state?.partial ?? {}))
    entry.partial.set(Number(sequence), new Set(names));
}

/** An outcome has recorded this touch already, before its sequence was delivered again. */
export function isRecorded(entry: AssetEntry, touch: Touch): boolean {
  const names = entry.partial.get(touch.sequence);
  if (names === undefined) return false;
  return names.has(touchName(touch)) || names.has(recordedMark(touch.field.aspect, objectName(touch.field)));
}

/** The one outcome of a change that concerns no field is recorded already. */
export function isRecordedWhole(entry: AssetEntry, sequence: number): boolean {
  return entry.partial.get(sequence)?.has(recordedMark(undefined, '')) ?? false;
}

/** Closes the touches of a sequence that was delivered again which an outcome has recorded before. */
export function closeRecorded(entry: AssetEntry, sequence: number): void {
  if (!entry.partial.has(sequence)) return;
  const recorded = entry.ledger
    .open()
    .flatMap((open) => [open.winner, ...open.losers])
    .filter((touch) => touch.sequence === sequence && isRecorded(entry, touch));
  entry.ledger.settle(recorded, []);
}

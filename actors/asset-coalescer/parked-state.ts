import type { SyncState } from '../../src/domain/sync-state.ts';
import type { CreditLimits } from '../../streams/nats/contract.ts';
import { type AssetEntry, hasNoted } from './asset-entry.ts';

/*
 * How a change is parked. Its message is copied to the stream of parked changes; then an outcome of the asset that decides nothing
 * names it in the state as parked; then the change is acknowledged; then it is let go of. When its time has come the copy is loaded
 * and admitted like a redelivery. The outcome that settles it no longer names it, and afterwards the copy is removed.
 *
 * So only what the asset's last outcome names is parked, and outcomes are stored by compare-and-set: a copy that no state names is
 * left over from an owner that went on the way, and nothing is decided twice, wherever an owner dies.
 */

/** Takes over which changes the stored state names as parked. */
export function takeParked(entry: AssetEntry, state: SyncState | undefined): void {
  entry.parked.clear();
  for (const [sequence, bytes] of Object.entries(state?.parked ?? {})) entry.parked.set(Number(sequence), bytes);
}

export function parkedState(entry: AssetEntry): Pick<SyncState, 'parked'> {
  return entry.parked.size === 0 ? {} : { parked: Object.fromEntries(entry.parked) };
}

const NONE: readonly number[] = [];

/** Parked changes that are not in memory. While there are any, nothing of the asset is decided. */
export function unloaded(entry: AssetEntry): readonly number[] {
  if (entry.parked.size === 0) return NONE;
  return [...entry.parked.keys()].filter((sequence) => !entry.held.has(sequence) && !entry.finished.has(sequence));
}

/** A delivery of a change that is parked already (its acknowledgement was lost): the copy stands for it. */
export function isCopied(entry: AssetEntry, sequence: number): boolean {
  return entry.parked.has(sequence) && !entry.copies.has(sequence);
}

/** Everything that the entry holds lies parked as well, so that it can be let go of. */
export function isStoredAway(entry: AssetEntry): boolean {
  if (entry.parked.size === 0 || entry.held.size === 0 || hasNoted(entry)) return false;
  for (const sequence of entry.held.keys()) if (!entry.parked.has(sequence)) return false;
  return true;
}

/** What the parked changes that are not in memory will take there. */
export function loadOf(entry: AssetEntry): CreditLimits {
  let [messages, bytes] = [0, 0];
  for (const [sequence, size] of entry.parked) {
    if (entry.held.has(sequence)) continue;
    messages += 1;
    bytes += size;
  }
  return { messages, bytes };
}

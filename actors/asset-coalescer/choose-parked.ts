import type { CreditLimits } from '../../streams/nats/contract.ts';
import type { AssetEntry } from './asset-entry.ts';

/** An asset that holds changes and may not be worked on before a later time. */
export function isWaiting(entry: AssetEntry, now: number): boolean {
  return entry.phase === 'idle' && entry.notBefore > now && entry.held.size > 0;
}

/** What of an asset is to be stored away. */
export interface ToPark {
  readonly entry: AssetEntry;
  /** Ascending; never empty. */
  readonly sequences: readonly number[];
}

/**
 * Which changes have to be parked so that those of waiting assets hold no more than half of the lane's credits: the assets that
 * have longest to wait, first. What is being tried once more counts like what waits to be (it will wait again), but stays.
 * No asset parks more than that half, since its parked changes are loaded all at once.
 */
export function changesToPark(
  entries: Iterable<AssetEntry>,
  retried: Iterable<AssetEntry>,
  now: number,
  half: CreditLimits,
): readonly ToPark[] {
  const waiting: { readonly entry: AssetEntry; readonly load: CreditLimits }[] = [];
  let [messages, bytes] = [0, 0];
  const count = (entry: AssetEntry): CreditLimits => {
    const load = creditsOf(entry);
    messages += load.messages;
    bytes += load.bytes;
    return load;
  };
  for (const entry of entries) if (isWaiting(entry, now)) waiting.push({ entry, load: count(entry) });
  for (const entry of retried) if (entry.phase !== 'parking' && !isWaiting(entry, now)) count(entry);
  if (messages <= half.messages && bytes <= half.bytes) return [];
  const chosen: ToPark[] = [];
  for (const { entry, load } of waiting.sort((a, b) => b.entry.notBefore - a.entry.notBefore)) {
    if (messages <= half.messages && bytes <= half.bytes) break;
    const sequences = parkable(entry, half);
    if (sequences.length === 0) continue;
    chosen.push({ entry, sequences });
    messages -= load.messages;
    bytes -= load.bytes;
  }
  return chosen;
}

/** The credits that an entry occupies: what is parked has given its own back. */
function creditsOf(entry: AssetEntry): CreditLimits {
  let [messages, bytes] = [0, 0];
  for (const [sequence, held] of entry.held) {
    if (entry.parked.has(sequence)) continue;
    messages += 1;
    bytes += held.bytes;
  }
  return { messages, bytes };
}

/** The oldest changes in hand that are not parked yet, as many as may be parked beside those that are. */
function parkable(entry: AssetEntry, half: CreditLimits): readonly number[] {
  let room = half.messages - entry.parked.size;
  let roomBytes = half.bytes - [...entry.parked.values()].reduce((sum, bytes) => sum + bytes, 0);
  const chosen: number[] = [];
  for (const sequence of [...entry.held.keys()].sort((a, b) => a - b)) {
    if (entry.parked.has(sequence)) continue;
    room -= 1;
    roomBytes -= entry.held.get(sequence)?.bytes ?? 0;
    if (room < 0 || roomBytes < 0) break;
    chosen.push(sequence);
  }
  return chosen;
}

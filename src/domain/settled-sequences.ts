import type { ReceivedChange } from './ledger.ts';
import { SparseSet } from './sparse-set.ts';
import type { SyncState } from './sync-state.ts';

/** Whether a change lies up to where all of its asset are settled. One that is newer comes from a stream that was made anew. */
export function isSettledUpTo(
  upTo: SyncState['settledUpTo'],
  { sequence, streamTime }: Pick<ReceivedChange, 'sequence' | 'streamTime'>,
): boolean {
  return upTo !== undefined && sequence <= upTo.sequence && streamTime <= upTo.time;
}

/**
 * The sequences of an asset's changes that are settled, so that one that is delivered again is only acknowledged.
 * Those whose ack is proven are told by where they lie in the stream, the others are listed.
 */
export class SettledSequences {
  readonly #listed = new SparseSet<number>();
  #upTo: SyncState['settledUpTo'];
  #newestStreamTime = 0;

  constructor(sync: SyncState | undefined) {
    for (const sequence of sync?.settled ?? []) this.#listed.add(sequence);
    this.#upTo = sync?.settledUpTo;
  }

  /** Whether a delivered change is settled. A parked one is not, although it was acknowledged. */
  has({ sequence, streamTime, parked }: ReceivedChange): boolean {
    this.#newestStreamTime = Math.max(this.#newestStreamTime, streamTime);
    if (this.#listed.has(sequence)) return true;
    return parked !== true && isSettledUpTo(this.#upTo, { sequence, streamTime });
  }

  add(sequence: number): void {
    this.#listed.add(sequence);
  }

  /** The stream has told that every change up to this sequence is acknowledged. */
  ackedUpTo(sequence: number): void {
    let highest: number | undefined;
    for (const settled of this.#listed) {
      if (settled > sequence) continue;
      this.#listed.delete(settled);
      if (highest === undefined || settled > highest) highest = settled;
    }
    if (highest === undefined || highest < (this.#upTo?.sequence ?? 0)) return;
    this.#upTo = { sequence: highest, time: this.#newestStreamTime };
  }

  toState(): Pick<SyncState, 'settled' | 'settledUpTo'> {
    return {
      settled: [...this.#listed].sort((a, b) => a - b),
      ...(this.#upTo === undefined ? {} : { settledUpTo: this.#upTo }),
    };
  }
}

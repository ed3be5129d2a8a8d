import type { AssetKey } from '../../src/domain/asset.ts';
import { type AssetEntry, dueAt } from './asset-entry.ts';

/**
 * Assets that may have something to decide, by what they wait for. In each list they stand in the order in which they came;
 * an asset whose changes keep coming does not lose its place.
 * - `ready`: to be looked at in this turn;
 * - `writable`: something of it will be written, so it waits until the dispatcher asks;
 * - `doubtful`: the catalogue has to be asked first, and only so many reads are under way at once;
 * - `delayed`: looked at again when its time has come (a retry, an undo without its partner).
 */
export class WorkQueue {
  readonly ready = new Map<AssetKey, AssetEntry>();
  readonly writable = new Map<AssetKey, AssetEntry>();
  readonly doubtful = new Map<AssetKey, AssetEntry>();
  readonly delayed = new Map<AssetKey, AssetEntry>();
  /** Assets of which something has been tried in vain, whatever they wait for now. */
  readonly retried = new Map<AssetKey, AssetEntry>();
  /** Present: nothing but this asset is taken. */
  only?: AssetKey;

  /** Something about the asset is new. */
  look(entry: AssetEntry): void {
    this.ready.set(entry.key, entry);
    if (entry.attempts.size > 0) this.retried.set(entry.key, entry);
    else if (this.retried.size > 0) this.retried.delete(entry.key);
  }

  /** When the first of the delayed assets is due (epoch milliseconds); those that no longer wait are taken off. */
  nextDue(): number {
    let at = Number.POSITIVE_INFINITY;
    for (const [key, entry] of this.delayed) {
      const due = dueAt(entry);
      if (due === undefined) this.delayed.delete(key);
      else at = Math.min(at, due);
    }
    return at;
  }

  /** The asset is let go of. */
  forget(key: AssetKey): void {
    for (const list of [this.ready, this.writable, this.doubtful, this.delayed, this.retried]) list.delete(key);
  }

  /** Everything that waits is to be looked at anew (the configuration is another one). */
  lookAtAll(): void {
    for (const list of [this.writable, this.doubtful]) {
      for (const entry of list.values()) this.ready.set(entry.key, entry);
      list.clear();
    }
  }

  /** Takes the assets out of a list one by one, the oldest first, for as long as `go` allows. */
  *take(list: 'ready' | 'writable' | 'doubtful', go: () => boolean = () => true): Generator<AssetEntry> {
    for (const [key, entry] of this[list]) {
      if (!go()) return;
      if (this.only !== undefined && key !== this.only) continue;
      this[list].delete(key);
      yield entry;
    }
  }
}

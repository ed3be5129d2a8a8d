import type { AssetKey } from '../../src/domain/asset.ts';
import { type AssetEntry, isEvictable } from './asset-entry.ts';

/** Fixed cost of an entry beside its ledger, in bytes, roughly. */
const ENTRY_OVERHEAD = 600;
/** So many changed entries are measured together: most change more than once meanwhile. */
const MEASURED_TOGETHER = 64;

/**
 * Resident assets of a lane, bounded in bytes. The least recently used ones that nothing depends on are dropped by `evict`;
 * their state lies in their last outcome message and is fetched again when they are next met. Nothing is dropped in between, so
 * that what was fetched for a change is still there when the change is admitted.
 */
export class AssetCache {
  readonly #entries = new Map<AssetKey, AssetEntry>();
  readonly #maxBytes: number;
  readonly #sizes = new Map<AssetKey, number>();
  /** Changed since they were measured. */
  readonly #changed = new Set<AssetEntry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    this.#measureChanged();
    return this.#bytes;
  }

  has(key: AssetKey): boolean {
    return this.#entries.has(key);
  }

  /** The entry, made the most recently used. */
  get(key: AssetKey): AssetEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** The entry, which stays as recently used as it was. */
  peek(key: AssetKey): AssetEntry | undefined {
    return this.#entries.get(key);
  }

  add(entry: AssetEntry): void {
    this.#entries.set(entry.key, entry);
    this.measure(entry);
  }

  /** Call after the entry's ledger changed: its size is taken into account before long. */
  measure(entry: AssetEntry): void {
    this.#changed.add(entry);
  }

  #measureChanged(): void {
    for (const entry of this.#changed) {
      if (this.#entries.get(entry.key) !== entry) continue;
      const before = this.#sizes.get(entry.key) ?? 0;
      const now = ENTRY_OVERHEAD + entry.ledger.bytes();
      this.#sizes.set(entry.key, now);
      this.#bytes += now - before;
    }
    this.#changed.clear();
  }

  /** Drops the entry so that its state is fetched anew. */
  drop(key: AssetKey): void {
    this.#bytes -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
    this.#entries.delete(key);
  }

  values(): IterableIterator<AssetEntry> {
    return this.#entries.values();
  }

  /** Brings the cache back to its bound, as far as nothing depends on the entries; call at the end of a turn. */
  evict(): void {
    if (this.#changed.size >= Math.min(MEASURED_TOGETHER, this.#entries.size / 8)) this.#measureChanged();
    if (this.#bytes <= this.#maxBytes) return;
    for (const entry of this.#entries.values()) {
      if (this.#bytes <= this.#maxBytes) return;
      if (isEvictable(entry)) this.drop(entry.key);
    }
  }
}

import type { AssetKey } from '../../src/domain/asset.ts';
import type { CreditLimits } from '../../streams/nats/contract.ts';
import type { AssetEntry } from './asset-entry.ts';

/** What stays in memory of an asset whose changes are stored away. */
export interface ParkedAsset {
  /** Epoch milliseconds from which it may be loaded. */
  readonly due: number;
  /** How many changes are stored. */
  readonly changes: number;
  readonly attempts: AssetEntry['attempts'];
  readonly catalogueAttempts: number;
  /** What of it waits for a person. */
  readonly holds: AssetEntry['holds'];
  /** Epoch milliseconds at which intake accepted the oldest of them; undefined where an earlier owner parked them. */
  readonly oldestAt?: number;
  /** Sequences whose copies a listing found; those that the asset's state does not name are left over and can go. */
  readonly listed?: readonly number[];
}

/** Assets that a lane keeps parked at the most; beyond that they hold their credits. */
const MAX_ASSETS = 10_000;

/**
 * The parked assets of a lane: when each is due, and how much of what was loaded again is in hand. Bounded on both sides: what is
 * known of a parked asset is small, and only so much is loaded at once as half of the lane's credits allows.
 * Invariant: an asset stands here exactly while changes that its state names as parked are not in memory.
 */
export class ParkingLot {
  readonly #assets = new Map<AssetKey, ParkedAsset>();
  readonly #inHand = new Map<AssetKey, CreditLimits>();
  /** Half of the lane's credits. */
  readonly half: CreditLimits;
  #changes = 0;
  /** Never later than the first due time; exact after `dueKeys`. */
  #nextDue = Number.POSITIVE_INFINITY;
  #oldestAt = Number.POSITIVE_INFINITY;

  constructor(limits: CreditLimits) {
    this.half = { messages: Math.max(1, Math.floor(limits.messages / 2)), bytes: Math.floor(limits.bytes / 2) };
  }

  get size(): number {
    return this.#assets.size;
  }

  /** Parked changes, as far as known. */
  get changes(): number {
    return this.#changes;
  }

  get isFull(): boolean {
    return this.#assets.size >= MAX_ASSETS;
  }

  /** Nothing is due before this time (epoch milliseconds). */
  get nextDue(): number {
    return this.#nextDue;
  }

  get(key: AssetKey): ParkedAsset | undefined {
    return this.#assets.get(key);
  }

  set(key: AssetKey, asset: ParkedAsset): void {
    this.delete(key);
    this.#assets.set(key, asset);
    this.#changes += asset.changes;
    this.#nextDue = Math.min(this.#nextDue, asset.due);
    this.#oldestAt = Math.min(this.#oldestAt, asset.oldestAt ?? Number.POSITIVE_INFINITY);
  }

  delete(key: AssetKey): void {
    this.#changes -= this.#assets.get(key)?.changes ?? 0;
    this.#assets.delete(key);
  }

  /** Everything may be loaded from this time on: what it waited for may have gone. */
  allDue(now: number): void {
    for (const [key, asset] of this.#assets) if (asset.due > now) this.set(key, { ...asset, due: now });
  }

  /** What is due, the longest due first. */
  dueKeys(now: number): AssetKey[] {
    const due: (readonly [AssetKey, number])[] = [];
    this.#nextDue = Number.POSITIVE_INFINITY;
    this.#oldestAt = Number.POSITIVE_INFINITY;
    for (const [key, asset] of this.#assets) {
      this.#nextDue = Math.min(this.#nextDue, asset.due);
      this.#oldestAt = Math.min(this.#oldestAt, asset.oldestAt ?? Number.POSITIVE_INFINITY);
      if (asset.due <= now) due.push([key, asset.due]);
    }
    return due.sort(([, a], [, b]) => a - b).map(([key]) => key);
  }

  /** When intake accepted the oldest parked change, or an older one that was parked until lately; undefined: nothing is known. */
  get oldestAt(): number | undefined {
    return this.#assets.size === 0 || this.#oldestAt === Number.POSITIVE_INFINITY ? undefined : this.#oldestAt;
  }

  /** Parked assets of which something waits for a person. */
  *holders(): Generator<ParkedAsset> {
    for (const asset of this.#assets.values()) if (asset.holds.size > 0) yield asset;
  }

  /** Whether so much more may be loaded; one asset always may. */
  roomFor(load: CreditLimits): boolean {
    if (this.#inHand.size === 0) return true;
    let { messages, bytes } = load;
    for (const held of this.#inHand.values()) {
      messages += held.messages;
      bytes += held.bytes;
    }
    return messages <= this.half.messages && bytes <= this.half.bytes;
  }

  /** The asset's changes are loaded. */
  hold(key: AssetKey, load: CreditLimits): void {
    this.#inHand.set(key, load);
  }

  /** They are settled, or let go of. */
  release(key: AssetKey): void {
    this.#inHand.delete(key);
  }
}

import type { AssetKey } from '../../src/domain/asset.ts';

/** A change as it lies parked: its message, and where it stood in CHANGES. */
export interface ParkedChange {
  /** In CHANGES. */
  readonly sequence: number;
  /** JetStream's time of the message in CHANGES, epoch milliseconds. */
  readonly streamTime: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

/**
 * Where a lane stores changes away whose asset has to wait. It holds copies only: which of them count is said by the asset's last
 * outcome, so a copy may be made again or be left over without harm.
 */
export interface ParkingStore {
  /**
   * Copies these changes of an asset from CHANGES; all of them are stored when it resolves to true. False: one cannot be copied
   * now (no room, too large, no longer in CHANGES). `due`: epoch milliseconds, for people.
   */
  park(key: AssetKey, sequences: readonly number[], due: number): Promise<boolean>;
  /** The parked changes by sequence. A lost copy is made good from CHANGES; absent is what stands in neither. */
  parkedChanges(key: AssetKey, sequences: readonly number[]): Promise<ReadonlyMap<number, ParkedChange>>;
  /** Removes copies; those that are not there are passed over. */
  unpark(key: AssetKey, sequences: readonly number[]): Promise<void>;
  /** Sequences of all copies of the lane's assets. */
  listParked(): Promise<ReadonlyMap<AssetKey, readonly number[]>>;
}

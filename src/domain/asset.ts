import { hash } from 'node:crypto';
import type { EntityType } from './entity.ts';

/** Number of slots the assets of a service are spread over; partition p of n owns the slots with slot mod n = p. */
export const SLOTS = 64;

/** Identity of what is written to: entity type and canonical FQN. The catalogue's entity id is only data beside it. */
export interface Asset {
  readonly entityType: EntityType;
  readonly fqn: string;
}

/** 32 hexadecimal digits that stand for the asset in subjects and keys. */
export type AssetKey = string;

export function assetKey(asset: Asset): AssetKey {
  return hash('sha256', `${asset.entityType}\n${asset.fqn}`, 'hex').slice(0, 32);
}

export function slotOf(key: AssetKey): number {
  return Number.parseInt(key.slice(0, 8), 16) % SLOTS;
}

import type { Asset } from './asset.ts';
import type { Snapshot } from './snapshot.ts';

/** What a fresh read of one asset in the catalogue gave. */
export type CatalogueAnswer =
  /** `serverTime`: the answer's `Date`, epoch milliseconds. */
  | { readonly kind: 'found'; readonly snapshot: Snapshot; readonly serverTime: number }
  /** The catalogue has no such entity (404). */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable'; readonly message: string };

/**
 * Port to the catalogue, for what events alone leave in doubt. An implementation asks for every aspect (tags, owners,
 * columns, domains, custom properties); it never rejects, and bounds its own time.
 */
export interface CatalogueReader {
  read(asset: Asset, entityId: string): Promise<CatalogueAnswer>;
}

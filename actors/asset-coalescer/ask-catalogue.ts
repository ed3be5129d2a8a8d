import type { CatalogueAnswer, CatalogueReader } from '../../src/domain/catalogue-reader.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { AssetEntry } from './asset-entry.ts';

/** Asks the catalogue for the asset as its newest change knows it. Never rejects: what goes wrong makes it unreachable. */
export async function askCatalogue(catalogue: CatalogueReader, { asset, held }: AssetEntry): Promise<CatalogueAnswer> {
  const newest = [...held.values()].reduce<HeldChange | undefined>(
    (last, change) => (last === undefined || change.received.sequence > last.received.sequence ? change : last),
    undefined,
  );
  try {
    return await catalogue.read(asset, newest?.received.event.entityId ?? '');
  } catch (error) {
    return { kind: 'unreachable', message: error instanceof Error ? error.name : 'failed' };
  }
}

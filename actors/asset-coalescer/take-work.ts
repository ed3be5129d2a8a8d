import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import type { LanePorts } from '../lane/lane-ports.ts';
import type { AssetEntry } from './asset-entry.ts';
import { managingChannels } from './channel-keys.ts';
import { decideSafely, isFilterInDoubt } from './decide-field.ts';
import { OBJECT_RETRY } from './retry-schedule.ts';

/**
 * Decides all open fields of an asset; the work holds exactly the touches that are open now. `gone`: the catalogue was just
 * asked and no longer knows the entity.
 */
export function takeWork(entry: AssetEntry, target: string, config: CompiledConfig, gone = false): AssetWork {
  const fields = entry.ledger.open().map((open) =>
    decideSafely(open, entry.ledger, {
      target,
      asset: entry.asset,
      config,
      held: (sequence) => entry.held.get(sequence),
      sent: (sequence) => entry.sent.has(sequence),
      attempts: (key) => entry.attempts.get(key),
      ...(gone ? { catalogue: 'gone' } : {}),
    }),
  );
  return { asset: entry.asset, key: entry.key, fields, changes: new Map(entry.held) };
}

/** Fields of the work that have to be written. */
export function writesOf(work: AssetWork): number {
  return work.fields.reduce((count, field) => count + (field.write === undefined ? 0 : 1), 0);
}

/**
 * Whether the catalogue has to be asked before the asset's fields are decided: there is doubt, an address is configured, and the
 * catalogue has not been found unreachable too often. After that the rules decide from the snapshots.
 */
export function needsCatalogue(entry: AssetEntry, target: string, config: CompiledConfig, ports: LanePorts): boolean {
  if (ports.catalogue === undefined || entry.catalogueAttempts >= OBJECT_RETRY.attempts) return false;
  const context = { target, asset: entry.asset, config };
  return entry.ledger.open().some((open) => open.doubts.length > 0 || isFilterInDoubt(open, entry.ledger, context));
}

/** Cheap and on the safe side: false only when certainly no field of the asset will be written. */
export function mayWrite(entry: AssetEntry, target: string, config: CompiledConfig): boolean {
  return entry.ledger
    .open()
    .some(
      (open) =>
        !(open.stale && open.removedTags.length === 0) &&
        managingChannels(target, entry.asset, open.field, config).length > 0,
    );
}

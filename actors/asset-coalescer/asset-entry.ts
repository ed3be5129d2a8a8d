import type { Asset, AssetKey } from '../../src/domain/asset.ts';
import type { FieldKey } from '../../src/domain/entity.ts';
import type { Ledger } from '../../src/domain/ledger.ts';
import type { OutcomeItem, SupersededItem } from '../../src/domain/outcome.ts';
import type { HeldChange } from '../lane/held-change.ts';

/** Attempts of one field that an object fault made to try again. */
export interface FieldAttempts {
  readonly count: number;
  /** Epoch milliseconds of the first attempt. */
  readonly firstAt: number;
}

/**
 * What a lane keeps of one asset while it is resident.
 *
 * State machine of `phase`: `idle` → (work taken) `planning` → `dispatched` → (results) `recording` → `idle`; `reading` stands
 * between `idle` and `planning` while the catalogue is asked. Only an `idle` asset gives work, so that at most one outcome
 * message of an asset is in flight; changes that arrive meanwhile are admitted to the ledger and coalesce there.
 */
export interface AssetEntry {
  readonly asset: Asset;
  readonly key: AssetKey;
  readonly subject: string;
  ledger: Ledger;
  phase: 'idle' | 'reading' | 'dispatched' | 'recording';
  /** Sequence of the last outcome message on the asset's subject; 0: there is none. */
  outcomeSequence: number;
  readonly held: Map<number, HeldChange>;
  readonly attempts: Map<FieldKey, FieldAttempts>;
  /** No work before this time (epoch milliseconds): an object fault is being waited out. */
  notBefore: number;
  /** Decided without a write and not yet recorded. */
  readonly items: OutcomeItem[];
  readonly superseded: SupersededItem[];
  /** Sequences all of whose keys are decided by `items` and `superseded`. */
  readonly finished: Set<number>;
  /** Answer of the catalogue that the next decision uses. */
  catalogue?: 'fresh' | 'gone';
  /** Reads of the catalogue that found it unreachable. */
  catalogueAttempts: number;
  /** Acknowledged sequences whose ack is not yet proven, with the time of the ack. */
  acked: { readonly sequence: number; readonly at: number }[];
}

export function newEntry(
  asset: Asset,
  key: AssetKey,
  subject: string,
  ledger: Ledger,
  outcomeSequence: number,
): AssetEntry {
  return {
    asset,
    key,
    subject,
    ledger,
    phase: 'idle',
    outcomeSequence,
    held: new Map(),
    attempts: new Map(),
    notBefore: 0,
    items: [],
    superseded: [],
    finished: new Set(),
    catalogueAttempts: 0,
    acked: [],
  };
}

/** Nothing depends on the entry being resident. */
export function isEvictable(entry: AssetEntry): boolean {
  return entry.phase === 'idle' && entry.held.size === 0 && entry.items.length === 0 && entry.superseded.length === 0;
}

export function hasWork(entry: AssetEntry): boolean {
  return (
    entry.items.length > 0 || entry.superseded.length > 0 || entry.finished.size > 0 || entry.ledger.open().length > 0
  );
}

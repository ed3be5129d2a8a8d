import type { ChannelHolds } from '../../src/channels/channel-holds.ts';
import type { Asset, AssetKey } from '../../src/domain/asset.ts';
import type { FieldKey } from '../../src/domain/entity.ts';
import type { Ledger } from '../../src/domain/ledger.ts';
import type { OutcomeItem, SupersededItem } from '../../src/domain/outcome.ts';
import { SparseMap } from '../../src/domain/sparse-map.ts';
import { SparseSet } from '../../src/domain/sparse-set.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { Round } from '../outcome-recorder/record-round.ts';
import type { FieldHold } from './field-hold.ts';

/** Attempts of one field that an object fault made to try again. */
export interface FieldAttempts {
  readonly count: number;
  /** Epoch milliseconds of the first attempt. */
  readonly firstAt: number;
}

/**
 * What a lane keeps of one asset while it is resident.
 *
 * State machine of `phase`: `idle` → (work given out) `dispatched` → (results) `recording` → (stored) `idle`; what needs no write
 * goes from `idle` to `recording`; `reading`, while the catalogue is asked, begins and ends in `idle`, and so does `loading`
 * (parked changes are fetched); `parking` (copies are made) leads to `recording`, or back to `idle`. Only an `idle` asset gives
 * work, so that at most one outcome message of an asset is in flight. Changes that arrive meanwhile are admitted to the ledger and
 * coalesce there; only those that arrive during `reading` wait in `arrived`, since the answer says nothing about them.
 * Invariant: every sequence in `held` is open in the ledger, waits there for its partner, stands in `finished`, is named by the
 * outcome that is being recorded, or stands in `arrived`.
 */
export interface AssetEntry {
  readonly asset: Asset;
  readonly key: AssetKey;
  readonly subject: string;
  ledger: Ledger;
  phase: 'idle' | 'reading' | 'dispatched' | 'recording' | 'parking' | 'loading';
  /** Sequence of the last outcome message on the asset's subject; 0: there is none. */
  outcomeSequence: number;
  /** Epoch of the lane that stored it; 0: there is none. */
  outcomeEpoch: number;
  readonly held: SparseMap<number, HeldChange>;
  /** Sequences of `held` whose values were given out to be written, and nothing was recorded of what came of it. */
  readonly sent: SparseSet<number>;
  readonly attempts: SparseMap<FieldKey, FieldAttempts>;
  /** No work before this time (epoch milliseconds): an object fault is being waited out, or a release. */
  notBefore: number;
  /** Open fields that wait for a person, as the asset was last looked at. */
  readonly holds: SparseMap<FieldKey, FieldHold>;
  /** All that is open is held: `notBefore` is far away, and ends with whatever comes for the asset. */
  awaitsRelease: boolean;
  /** What was held back on the target when the asset was last looked at. */
  heldUnder?: ChannelHolds;
  /** Decided without a write and not yet recorded. */
  readonly items: OutcomeItem[];
  readonly superseded: SupersededItem[];
  /** Of `items`: what goes to the dead letters. */
  readonly failed: { readonly item: OutcomeItem }[];
  /** Sequences all of whose keys are decided by `items` and `superseded`. */
  readonly finished: SparseSet<number>;
  /** Of sequences that are still open: which of their touches an outcome has recorded already (`touchName`). */
  readonly partial: SparseMap<number, Set<string>>;
  /** Sequences that the last outcome names as parked (or the one that is being stored), with the size of their message. */
  readonly parked: SparseMap<number, number>;
  /** Sequences whose copies this owner has made, or loaded from where they were parked. */
  readonly copies: SparseSet<number>;
  /** Came while the catalogue was asked; admitted after its answer. */
  arrived: HeldChange[];
  /** Reads of the catalogue that found it unreachable, for the decision that is due. */
  catalogueAttempts: number;
  /** What could not be stored yet, and when to try again. */
  unrecorded?: { readonly round: Round; readonly tries: number; readonly at: number };
}

export function newEntry(asset: Asset, key: AssetKey, subject: string, ledger: Ledger): AssetEntry {
  return {
    asset,
    key,
    subject,
    ledger,
    phase: 'idle',
    outcomeSequence: 0,
    outcomeEpoch: 0,
    held: new SparseMap(),
    sent: new SparseSet(),
    attempts: new SparseMap(),
    notBefore: 0,
    holds: new SparseMap(),
    awaitsRelease: false,
    items: [],
    superseded: [],
    failed: [],
    finished: new SparseSet(),
    partial: new SparseMap(),
    parked: new SparseMap(),
    copies: new SparseSet(),
    arrived: [],
    catalogueAttempts: 0,
  };
}

/** Nothing depends on the entry being resident. */
export function isEvictable(entry: AssetEntry): boolean {
  return entry.phase === 'idle' && entry.held.size === 0 && !hasNoted(entry);
}

export function hasWork(entry: AssetEntry): boolean {
  return hasNoted(entry) || entry.ledger.hasOpen();
}

/** Something is decided that no outcome has recorded yet. */
export function hasNoted(entry: AssetEntry): boolean {
  return entry.items.length > 0 || entry.superseded.length > 0 || entry.finished.size > 0;
}

/** When the entry has to be looked at again although nothing arrives for it (epoch milliseconds); undefined: never. */
export function dueAt(entry: AssetEntry): number | undefined {
  if (entry.unrecorded !== undefined) return entry.unrecorded.at;
  if (entry.notBefore === 0 && entry.ledger.waiting().length === 0) return undefined;
  const times = entry.phase === 'reading' ? [] : entry.ledger.waiting().map(({ until }) => until);
  if (entry.phase === 'idle' && entry.notBefore > 0 && hasWork(entry)) times.push(entry.notBefore);
  return times.length === 0 ? undefined : Math.min(...times);
}

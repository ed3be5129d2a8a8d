import { type AssetKey, assetKey } from '../../src/domain/asset.ts';
import { createLedger } from '../../src/domain/asset-ledger.ts';
import type { Field, FieldKey } from '../../src/domain/entity.ts';
import type { FieldValue, Ledger, OpenField, ReceivedChange, Settlement, Touch } from '../../src/domain/ledger.ts';
import type { LedgerRules } from '../../src/domain/ledger-rules.ts';
import { higherRank } from '../../src/domain/rank.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import { fieldValueHash } from '../../src/domain/value-hash.ts';

export interface MemoryLaneOptions {
  readonly rules?: Partial<LedgerRules>;
  /** Answers for the whole catalogue: the state of an asset at a time of the lane, or `gone`. */
  readonly catalogue?: (key: AssetKey, now: number) => Snapshot | 'gone';
  /** True: ledgers stay in memory; false: each batch starts from the sync state, as JSON, as after a restart. */
  readonly resident: boolean;
}

/** One object that was written: `null` is an absent description, no owner, no tag. */
export interface Written {
  readonly asset: string;
  readonly field: Field;
  readonly value: string | null;
}

/**
 * A lane without a stream and without a source: decides every open field at once and always writes the value of the winner.
 * What it holds at the end is what the rules of the ledger alone lead to.
 */
export class MemoryLane {
  readonly written = new Map<string, Written>();
  /** Outcomes per sequence and field; a second one for the same key is an error. */
  readonly outcomes = new Map<string, string>();
  readonly #options: MemoryLaneOptions;
  readonly #ledgers = new Map<AssetKey, Ledger>();
  readonly #states = new Map<AssetKey, string>();

  constructor(options: MemoryLaneOptions) {
    this.#options = options;
  }

  /** Takes changes that were delivered together, at a time. */
  deliver(changes: readonly ReceivedChange[], now: number): void {
    const touched = new Map<AssetKey, Ledger>();
    for (const change of changes) {
      const { entityType, fqn } = change.event;
      const key = assetKey({ entityType, fqn });
      const ledger = touched.get(key) ?? this.#ledger(key, change);
      touched.set(key, ledger);
      this.#admit(ledger, change, now);
      for (const { change: waiting } of ledger.waiting()) this.#admit(ledger, waiting, now);
    }
    for (const [key, ledger] of touched) this.#decide(key, ledger, now);
  }

  /** Lets every undo that still waits come due. */
  finish(now: number): void {
    for (const [key, ledger] of this.#ledgers) {
      for (const { change } of ledger.waiting()) this.#admit(ledger, change, now);
      this.#decide(key, ledger, now);
    }
  }

  stateOf(key: AssetKey): SyncState | undefined {
    const text = this.#states.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #ledger(key: AssetKey, { event }: ReceivedChange): Ledger {
    const present = this.#ledgers.get(key);
    if (present !== undefined && (this.#options.resident || present.waiting().length > 0)) return present;
    const rules = this.#options.rules === undefined ? {} : { rules: this.#options.rules };
    const ledger = createLedger({ entityType: event.entityType, fqn: event.fqn }, this.stateOf(key), rules);
    this.#ledgers.set(key, ledger);
    return ledger;
  }

  #admit(ledger: Ledger, change: ReceivedChange, now: number): void {
    const admission = ledger.admit(change, now);
    if (admission.kind !== 'duplicate') return;
    for (const touch of admission.touches) this.#outcome(touch, 'duplicate');
    ledger.markSettled(change.sequence);
  }

  #decide(key: AssetKey, ledger: Ledger, now: number): void {
    const gone = this.#refresh(key, ledger, now) === 'gone';
    const closed: Touch[] = [];
    const settlements: Settlement[] = [];
    for (const open of ledger.open()) {
      const touches = [open.winner, ...open.losers];
      closed.push(...touches);
      for (const touch of open.losers) this.#outcome(touch, 'superseded');
      const value = ledger.value(open.field);
      const writes = !gone && !open.stale && value.known;
      this.#outcome(open.winner, writes ? 'decided' : 'skipped');
      if (writes) this.#write(key, open, value);
      if (open.stale) continue;
      const hash = fieldValueHash(value);
      const rank = value.known ? higherRank(value.rank, open.winner.rank) : open.winner.rank;
      settlements.push({ key: open.key, rank, ...(hash === undefined ? {} : { hash }) });
    }
    ledger.settle(closed, settlements);
    for (const sequence of new Set(closed.map((touch) => touch.sequence))) ledger.markSettled(sequence);
    this.#states.set(key, JSON.stringify(ledger.toSyncState()));
  }

  #refresh(key: AssetKey, ledger: Ledger, now: number): 'gone' | 'known' {
    if (this.#options.catalogue === undefined || ledger.open().every((open) => open.doubts.length === 0))
      return 'known';
    const answer = this.#options.catalogue(key, now);
    if (answer === 'gone') return 'gone';
    ledger.refresh(answer, now);
    return 'known';
  }

  #write(key: AssetKey, open: OpenField, value: FieldValue): void {
    const text = plain(value);
    const touches = [open.winner, ...open.losers];
    if (text === null && touches.every((touch) => touch.reason === 'whole')) return;
    this.written.set(writtenKey(key, open.key), { asset: key, field: open.field, value: text });
  }

  #outcome(touch: Touch, what: string): void {
    const id = `${touch.sequence} ${touch.key}`;
    if (this.outcomes.has(id)) throw new Error(`two outcomes for ${id}: ${this.outcomes.get(id)}, ${what}`);
    this.outcomes.set(id, what);
  }
}

export function writtenKey(asset: AssetKey, field: FieldKey): string {
  return `${asset} ${field}`;
}

/** A value in the form in which the expected files name it. */
export function plain(value: FieldValue): string | null {
  if (!value.known) return null;
  if (value.aspect === 'description') return value.text ?? null;
  const names =
    value.aspect === 'tags'
      ? value.tags.map((tag) => tag.tagFQN)
      : value.owners.map((owner) => owner.name + (owner.inherited ? ' (inherited)' : ''));
  return names.sort().join(', ') || null;
}

import { randomUUID } from 'node:crypto';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import type { AssetWork, FieldResult } from '../lane/asset-work.ts';
import { type AssetOutcome, assetOutcome } from '../outcome-recorder/asset-outcome.ts';
import type { Round } from '../outcome-recorder/record-round.ts';
import type { AssetEntry } from './asset-entry.ts';
import { awaitRelease, noteHeld } from './held-fields.ts';
import { parkedState } from './parked-state.ts';
import { notePartial, partialState } from './partly-recorded.ts';
import { retryDelay } from './retry-schedule.ts';

export interface LaneIdentity {
  readonly target: string;
  readonly lane: string;
  readonly epoch: number;
}

/** Outcomes below this size, in bytes, are never split; estimated on the safe side. */
const MAY_BE_SPLIT = 100_000;

/** At most so many bytes do the items take (three for a UTF-16 unit), the state aside. */
function sizeOf({ items, superseded }: AssetOutcome): number {
  let units = 0;
  for (const { before = '', after = '', reason = '', statements = [], notes = [] } of items)
    for (const text of [before, after, reason, ...statements, ...notes]) units += text.length;
  return 3 * units + 500 * (items.length + superseded.length);
}

export interface RoundSettings {
  readonly identity: LaneIdentity;
  readonly configRevision: number;
  /** Whole epoch milliseconds. */
  readonly now: number;
  readonly random: () => number;
  /** See `LanePorts`. */
  readonly ackFloor: number;
  /** The asset waits on as before, and the outcome has to be recorded even if it decides nothing. */
  readonly parks?: boolean;
}

/** What a finished round of an asset leads to. `message` undefined: nothing was decided (everything is retried). */
export interface ClosedRound {
  readonly message?: OutcomeMessage;
  /** What goes to the dead letters. */
  readonly failed: Round['failed'];
  /** The state before the round, for an outcome that may have to be split. */
  readonly previous?: SyncState;
}

/**
 * Brings the results of a round into the ledger and makes the outcome message that records them, together with what the entry
 * had noted as decided without a write. Fields to be retried stay open, and the entry waits.
 */
export function closeRound(
  entry: AssetEntry,
  work: AssetWork,
  results: readonly FieldResult[],
  { identity, configRevision, now, random, ackFloor, parks = false }: RoundSettings,
): ClosedRound {
  const outcome = assetOutcome(work, new Map(results.map((result) => [result.key, result])), now);
  for (const result of outcome.retry) {
    const first = entry.attempts.get(result.key)?.firstAt ?? now;
    entry.attempts.set(result.key, { count: result.attempts, firstAt: first });
    const wait = Math.max(result.failure?.retryAfterMs ?? 0, retryDelay(result.attempts, random));
    entry.notBefore = Math.max(entry.notBefore, now + wait);
  }
  for (const field of outcome.held) noteHeld(entry, field, 'guard', now);
  for (const settlement of outcome.settlements) entry.attempts.delete(settlement.key);
  entry.ledger.ackedUpTo(ackFloor);
  const previous =
    sizeOf(outcome) + 500 * (entry.items.length + entry.superseded.length) > MAY_BE_SPLIT
      ? carriedState(entry)
      : undefined;
  entry.ledger.settle(outcome.closed, outcome.settlements);

  const decided = new Set([...entry.finished, ...outcome.closed.map((touch) => touch.sequence)]);
  const settles = [...decided]
    .filter((sequence) => (entry.held.has(sequence) || entry.parked.has(sequence)) && !entry.ledger.isOpen(sequence))
    .sort((a, b) => a - b);
  for (const sequence of settles) {
    entry.ledger.markSettled(sequence);
    entry.parked.delete(sequence);
  }
  notePartial(entry, outcome.closed, settles);
  const items = takeAll(entry.items, outcome.items);
  const superseded = takeAll(entry.superseded, outcome.superseded);
  const failed = takeAll<ClosedRound['failed'][number]>(entry.failed, outcome.failed);
  entry.finished.clear();
  if (outcome.retry.length === 0 && !parks) {
    entry.catalogueAttempts = 0;
    entry.notBefore = 0;
    awaitRelease(entry, now);
  }
  if (items.length === 0 && superseded.length === 0 && settles.length === 0 && !parks) return { failed };
  const message = outcomeMessage(entry, identity, configRevision, now, { items, superseded, settles });
  return { message, failed, ...(previous === undefined ? {} : { previous }) };
}

/** What was noted, which is forgotten, and what has come of the round. */
function takeAll<T>(noted: T[], outcome: readonly T[]): readonly T[] {
  return noted.length === 0 ? outcome : [...noted.splice(0), ...outcome];
}

/** An outcome that decides nothing and carries the state as it is: after it, those of an earlier owner are refused. */
export function emptyOutcome(
  entry: AssetEntry,
  identity: LaneIdentity,
  configRevision: number,
  now: number,
): OutcomeMessage {
  return outcomeMessage(entry, identity, configRevision, now, { items: [], superseded: [], settles: [] });
}

function outcomeMessage(
  entry: AssetEntry,
  { target, lane, epoch }: LaneIdentity,
  configRevision: number,
  now: number,
  { items, superseded, settles }: Pick<OutcomeMessage, 'items' | 'superseded' | 'settles'>,
): OutcomeMessage {
  return {
    v: 1,
    id: randomUUID(),
    target,
    asset: { entityType: entry.asset.entityType, fqn: entry.asset.fqn, key: entry.key },
    at: now,
    lane,
    epoch,
    configRevision,
    items,
    superseded,
    settles,
    state: carriedState(entry),
  };
}

function carriedState(entry: AssetEntry): SyncState {
  const state = entry.ledger.toSyncState();
  if (entry.partial.size === 0 && entry.parked.size === 0) return state;
  return { ...state, ...partialState(entry), ...parkedState(entry) };
}

/** The outcome is stored: the settled changes can be acknowledged, and are no longer held. */
export function acknowledge(entry: AssetEntry, settles: readonly number[]): void {
  for (const sequence of settles) {
    const held = entry.held.get(sequence);
    held?.delivery.ack();
    held?.span.end();
    entry.held.delete(sequence);
    entry.sent.delete(sequence);
  }
}

import type { Settlement, Touch } from '../../src/domain/ledger.ts';
import type { OutcomeItem, SupersededItem } from '../../src/domain/outcome.ts';
import { tagOf, tagText } from '../../src/domain/tag-text.ts';
import { wantedHash } from '../connector-dispatcher/write-batch.ts';
import type { AssetWork, ChannelVerdict, FieldResult, FieldWork } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';

/** What of an asset's work is now certain: the items to record, and what the ledger has to be told. */
export interface AssetOutcome {
  readonly items: readonly OutcomeItem[];
  readonly superseded: readonly SupersededItem[];
  readonly closed: readonly Touch[];
  readonly settlements: readonly Settlement[];
  /** Items that go to the dead letters, with the touch that they come from. */
  readonly failed: readonly { readonly item: OutcomeItem; readonly touch: Touch }[];
  /** Fields that another attempt may cure; their touches stay open. */
  readonly retry: readonly FieldResult[];
  /** Fields that wait for a person; their touches stay open. */
  readonly held: readonly FieldWork[];
}

/**
 * Turns decided fields and the results of their writes into recorded items, their values whole. Pure.
 * Every key of every closed touch gets exactly one item; a field whose write will be retried closes nothing.
 */
export function assetOutcome(
  work: AssetWork,
  results: ReadonlyMap<string, FieldResult>,
  settledAt: number,
): AssetOutcome {
  const items: OutcomeItem[] = [];
  const superseded: SupersededItem[] = [];
  const closed: Touch[] = [];
  const settlements: Settlement[] = [];
  const failed: { item: OutcomeItem; touch: Touch }[] = [];
  const retry: FieldResult[] = [];
  const held: FieldWork[] = [];
  for (const field of work.fields) {
    const result = results.get(field.open.key);
    if (result?.status === 'retry') {
      retry.push(result);
      continue;
    }
    if (result?.status === 'held') {
      held.push(field);
      continue;
    }
    for (const verdict of field.verdicts) {
      for (const loser of verdict.losers)
        superseded.push(supersededItem(work, field, verdict, loser, verdict.winner.eventId));
      if (verdict.verdict.kind === 'superseded') {
        superseded.push(supersededItem(work, field, verdict, verdict.winner, verdict.verdict.by));
        continue;
      }
      const item = outcomeItem(work, field, verdict, result, settledAt);
      items.push(item);
      if (item.status === 'failed') failed.push({ item, touch: verdict.winner });
    }
    closed.push(field.open.winner, ...field.open.losers);
    settlements.push(settlementAfter(field, result));
  }
  return { items, superseded, closed, settlements, failed, retry, held };
}

function settlementAfter({ settlement, mayStand, write }: FieldWork, result: FieldResult | undefined): Settlement {
  const written = result?.status === 'applied' || result?.status === 'unchanged';
  if (write === undefined || !written) return { ...settlement, ...(mayStand === undefined ? {} : { mayStand }) };
  const { operation } = write;
  const settled = { ...settlement, written: wantedHash(operation) };
  if (operation.aspect !== 'tags' || result.tags === undefined) return settled;
  const unset = new Set(operation.unset.map(tagText));
  // Another value of the same key took its place.
  const replaced = new Set(operation.desired.map(({ key }) => key));
  const left = (mayStand ?? []).filter((label) => !unset.has(label) && !replaced.has(tagOf(label).key));
  return { ...settled, tags: result.tags, mayStand: left };
}

function outcomeItem(
  work: AssetWork,
  field: FieldWork,
  verdict: ChannelVerdict,
  result: FieldResult | undefined,
  settledAt: number,
): OutcomeItem {
  const held = work.changes.get(verdict.winner.sequence);
  const common = {
    ...identity(field, verdict, verdict.winner, held),
    ...(held === undefined ? {} : { user: held.received.event.userName, timings: timings(held, settledAt) }),
    ...(field.decidedBy === undefined ? {} : { decidedBy: field.decidedBy }),
  };
  if (verdict.verdict.kind === 'failed') {
    const { class: failureClass, code, message } = verdict.verdict.failure;
    return { ...common, status: 'failed', reason: message, failure: { class: failureClass, code, message } };
  }
  if (verdict.verdict.kind === 'skipped') return { ...common, status: 'skipped', reason: verdict.verdict.reason };
  if (result === undefined || result.status === 'retry' || result.status === 'held') {
    return { ...common, status: 'skipped', reason: 'the channel that should have written gave no result' };
  }
  const notes = result.notes.length === 0 ? {} : { notes: result.notes };
  const { failure } = result;
  return {
    ...common,
    status: result.status,
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    ...(result.before === undefined ? {} : { before: result.before }),
    ...(result.after === undefined ? {} : { after: result.after }),
    ...(result.statements.length === 0 ? {} : { statements: result.statements }),
    ...(result.attempts === 0 ? {} : { attempts: result.attempts }),
    ...(result.verified === undefined ? {} : { verified: result.verified }),
    ...(failure === undefined
      ? {}
      : { failure: { class: failure.class, code: failure.code, message: failure.message } }),
    ...notes,
  };
}

function supersededItem(
  work: AssetWork,
  field: FieldWork,
  verdict: ChannelVerdict,
  touch: Touch,
  by: string,
): SupersededItem {
  return { ...identity(field, verdict, touch, work.changes.get(touch.sequence)), by };
}

function identity(field: FieldWork, verdict: ChannelVerdict, touch: Touch, held: HeldChange | undefined) {
  return {
    sequence: touch.sequence,
    eventId: touch.eventId,
    aspect: field.open.field.aspect,
    object: field.object,
    ...(verdict.channel === undefined ? {} : { channel: verdict.channel }),
    ...(held?.traceId === undefined ? {} : { traceId: held.traceId }),
  };
}

/** Stations of a change on its way, epoch milliseconds. */
export function timings(held: HeldChange, settledAt: number) {
  return { eventAt: held.received.event.timestamp, receivedAt: held.receivedAt, pulledAt: held.pulledAt, settledAt };
}

import { createHash } from 'node:crypto';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { Touch } from '../../src/domain/ledger.ts';
import type { DeadLetter, OutcomeItem, OutcomeMessage } from '../../src/domain/outcome.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LanePorts, RecordAnswer } from '../lane/lane-ports.ts';
import { startStage } from '../lane/stage-spans.ts';

/** What is recorded, and where. */
export interface Round {
  readonly subject: string;
  readonly key: AssetKey;
  readonly expectedSequence: number;
  readonly message: OutcomeMessage;
  readonly previous?: SyncState;
  readonly failed: readonly { readonly item: OutcomeItem; readonly touch: Touch }[];
  readonly held: ReadonlyMap<number, HeldChange>;
}

/**
 * Stores what was decided: first the dead letters of what failed, then the outcome (so a recorded failure always has its letter).
 * Each change's trace gets its `outcome` span. The caller acknowledges afterwards.
 */
export async function recordRound(round: Round, ports: LanePorts): Promise<RecordAnswer> {
  const { message } = round;
  for (const { item, touch } of round.failed) {
    await ports.store.recordDeadLetter(await deadLetter(round, item, touch, ports));
    ports.observe.deadLetter(item.failure?.class ?? 'invalid');
  }
  const stages = new Map(
    [...statuses(message)].map(([sequence, status]) => [
      sequence,
      startStage('outcome', round.held.get(sequence)?.trace ?? ROOT_CONTEXT, {
        attributes: { 'backflow.status': status },
      }),
    ]),
  );
  const answer = await ports.store.recordOutcome(
    round.subject,
    message,
    round.expectedSequence,
    round.previous ?? message.state,
  );
  for (const { span } of stages.values()) span.end();
  if (answer.kind === 'recorded') observe(message, ports);
  return answer;
}

/** The worst news first: what a person would look for in the change's trace. */
const ORDER = ['failed', 'applied', 'observed', 'unchanged', 'skipped', 'superseded'];

function statuses(message: OutcomeMessage): Map<number, string> {
  const found = new Map<number, string>();
  const note = (sequence: number, status: string): void => {
    const known = found.get(sequence);
    if (known === undefined || ORDER.indexOf(status) < ORDER.indexOf(known)) found.set(sequence, status);
  };
  for (const item of message.items) note(item.sequence, item.status);
  for (const item of message.superseded) note(item.sequence, 'superseded');
  return found;
}

function observe(message: OutcomeMessage, ports: LanePorts): void {
  for (const item of message.items) {
    const applied = item.status === 'applied' && item.timings !== undefined;
    ports.observe.outcome(
      item.channel,
      item.status,
      applied ? item.timings.settledAt - item.timings.receivedAt : undefined,
    );
  }
  for (const item of message.superseded) ports.observe.outcome(item.channel, 'superseded', undefined);
}

async function deadLetter(round: Round, item: OutcomeItem, touch: Touch, ports: LanePorts): Promise<DeadLetter> {
  const { message } = round;
  const body = await ports.store.changeBody(item.sequence);
  return {
    v: 1,
    id: deadLetterId(message.target, item),
    target: message.target,
    ...(item.channel === undefined ? {} : { channel: item.channel }),
    sequence: item.sequence,
    eventId: item.eventId,
    asset: message.asset,
    ...(item.aspect === undefined ? {} : { aspect: item.aspect }),
    object: item.object,
    rank: touch.rank,
    at: message.at,
    failure: item.failure ?? { class: 'invalid', code: 'failed', message: item.reason ?? 'failed' },
    ...(item.statements === undefined ? {} : { statements: item.statements }),
    ...(item.attempts === undefined ? {} : { attempts: item.attempts }),
    ...(item.traceId === undefined ? {} : { traceId: item.traceId }),
    body: body ?? '',
    ...(body === undefined ? { bodyCut: true } : {}),
  };
}

/** The same key always has the same letter, so one that is recorded again after a crash is recognised. */
function deadLetterId(target: string, item: OutcomeItem): string {
  const key = JSON.stringify([target, item.sequence, item.channel, item.aspect, item.object]);
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}

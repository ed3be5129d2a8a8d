import { createHash } from 'node:crypto';
import type { Context } from '@opentelemetry/api';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { Touch } from '../../src/domain/ledger.ts';
import { boundedStatements } from '../../src/domain/long-values.ts';
import type { DeadLetter, OutcomeItem, OutcomeMessage, SupersededItem } from '../../src/domain/outcome.ts';
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
  readonly failed: readonly { readonly item: OutcomeItem; readonly touch?: Touch }[];
  /** Of the changes that the outcome concerns and whose traces are recorded: the context that their spans go under, by sequence. */
  readonly traces: ReadonlyMap<number, Context>;
}

/**
 * Stores what was decided: first the dead letters of what failed, then the outcome (so a recorded failure always has its letter).
 * Each change's trace gets its `outcome` span. The caller acknowledges afterwards.
 */
export async function recordRound(round: Round, ports: LanePorts): Promise<RecordAnswer> {
  const { message } = round;
  const bodies = new Map<number, string | undefined>();
  for (const { item, touch } of round.failed) {
    const { sequence } = item;
    if (!bodies.has(sequence)) bodies.set(sequence, await ports.store.changeBody(sequence));
    await ports.store.recordDeadLetter(deadLetter(message, item, touch, bodies.get(sequence)));
  }
  const spans = [...round.traces].map(([sequence, trace]) => {
    const status = worstStatus(message, sequence);
    const attributes = status === undefined ? {} : { 'backflow.status': status };
    return startStage('outcome', trace, { attributes }).span;
  });
  try {
    const previous = round.previous ?? message.state;
    const answer = await ports.store.recordOutcome(round.subject, message, round.expectedSequence, previous);
    if (answer.kind === 'recorded') observe(round, ports);
    return answer;
  } finally {
    for (const span of spans) span.end();
  }
}

/** The worst news first: what a person would look for in the change's trace. */
const ORDER = ['failed', 'applied', 'observed', 'unchanged', 'skipped', 'superseded'];

function worstStatus({ items, superseded }: OutcomeMessage, sequence: number): string | undefined {
  const statuses = new Set<string>();
  for (const item of items) if (item.sequence === sequence) statuses.add(item.status);
  if (superseded.some((item) => item.sequence === sequence)) statuses.add('superseded');
  return ORDER.find((status) => statuses.has(status));
}

/** The contexts of those of the changes that the message names and whose traces are recorded: most are not. */
export function recordedTraces(
  { items, superseded }: Pick<OutcomeMessage, 'items' | 'superseded'>,
  held: Pick<ReadonlyMap<number, Pick<HeldChange, 'span' | 'trace'>>, 'get'>,
): Round['traces'] {
  let traces: Map<number, Context> | undefined;
  for (const list of [items, superseded]) {
    for (const { sequence } of list) {
      const change = held.get(sequence);
      if (change?.span.isRecording() !== true) continue;
      traces ??= new Map();
      traces.set(sequence, change.trace);
    }
  }
  return traces ?? NO_TRACES;
}

const NO_TRACES: Round['traces'] = new Map();

function observe({ message, failed }: Round, ports: LanePorts): void {
  for (const { item } of failed) ports.observe.deadLetter(item.failure?.class ?? 'invalid');
  for (const item of message.items) {
    const applied = item.status === 'applied' && item.timings !== undefined;
    ports.observe.outcome(
      item.channel,
      item.status,
      applied ? item.timings.settledAt - item.timings.receivedAt : undefined,
    );
  }
  for (const [channel, count] of countByChannel(message.superseded))
    ports.observe.outcome(channel, 'superseded', undefined, count);
}

function countByChannel(items: readonly SupersededItem[]): ReadonlyMap<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const { channel } of items) counts.set(channel, (counts.get(channel) ?? 0) + 1);
  return counts;
}

function deadLetter(
  message: OutcomeMessage,
  item: OutcomeItem,
  touch: Touch | undefined,
  body: string | undefined,
): DeadLetter {
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
    ...(touch === undefined ? {} : { rank: touch.rank }),
    at: message.at,
    failure: item.failure ?? { class: 'invalid', code: 'failed', message: item.reason ?? 'failed' },
    ...(item.statements === undefined ? {} : { statements: boundedStatements(item.statements) }),
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

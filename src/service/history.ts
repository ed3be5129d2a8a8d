import type { NatsLink } from '../../streams/nats/connection.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import { readNewestFirst } from '../../streams/nats/read-stream.ts';
import { assetKey } from '../domain/asset.ts';
import { formatFqn } from '../domain/fqn.ts';
import type { DeadLetter, OutcomeItem, OutcomeMessage } from '../domain/outcome.ts';
import { parseBulkOutcomeMessage, parseDeadLetter, parseOutcomeMessage } from '../domain/parse-outcome.ts';
import { encodeToken, STREAMS } from '../domain/subjects.ts';
import { assetOf } from './asset-name.ts';
import { WholeValuesReader } from './whole-values.ts';

export interface RunsQuery {
  readonly limit: number;
  readonly target?: string | undefined;
  readonly status?: string | undefined;
  readonly channel?: string | undefined;
  /** Canonical FQN of an asset. */
  readonly asset?: string | undefined;
  /** Path of one column of it. */
  readonly column?: readonly string[] | undefined;
  readonly eventId?: string | undefined;
  /** With long values whole instead of cut. */
  readonly whole?: boolean | undefined;
}

/** One recorded key, as `runs` lists it. */
export interface Run extends OutcomeItem {
  readonly target: string;
  readonly asset: string | undefined;
  readonly entityType: string | undefined;
  readonly recordedAt: number;
  readonly lane: string;
  readonly configRevision: number;
  /** Event id of the change that made this one needless, or the word `duplicate`. */
  readonly by?: string;
}

/** Recorded outcomes, newest first. */
export async function readRuns(link: NatsLink, query: RunsQuery): Promise<readonly Run[]> {
  const runs: Run[] = [];
  const values = new WholeValuesReader(link);
  const reading = { stream: STREAMS.outcomes, filter: subjectsOf(query), limit: Number.POSITIVE_INFINITY };
  for await (const message of readNewestFirst(link, reading)) {
    const found = query.whole === true ? await wholeRunsOf(message, values) : runsOf(message);
    for (const run of found.reverse()) {
      if (!matches(run, query)) continue;
      runs.push(run);
      if (runs.length >= query.limit) return runs;
    }
  }
  return runs;
}

/** As `runsOf`, with long values whole. */
export async function wholeRunsOf(message: StoredMessage, values: WholeValuesReader): Promise<Run[]> {
  if (isBulk(message)) return runsOf(message);
  const outcome = parseOutcomeMessage(message.data);
  return outcome === undefined ? [] : outcomeRuns(await values.read(outcome));
}

/** The narrowest subject filter: what is recorded of one asset lies on a subject of its own for each target. */
function subjectsOf({ target, asset }: RunsQuery): string {
  const named = asset === undefined ? undefined : assetOf(asset);
  const token = target === undefined ? '*' : encodeToken(target);
  if (named !== undefined) return `outcome.${token}.${assetKey(named.asset)}`;
  return target === undefined ? '>' : `*.${token}.>`;
}

/** The keys that a message of OUTCOMES records, in the order of their sequences. */
export function runsOf(message: StoredMessage): Run[] {
  if (isBulk(message)) {
    const bulk = parseBulkOutcomeMessage(message.data);
    if (bulk === undefined) return [];
    const { target, at: recordedAt, lane, configRevision } = bulk;
    return bulk.items.map((item) => ({
      ...item,
      target,
      asset: undefined,
      entityType: undefined,
      recordedAt,
      lane,
      configRevision,
    }));
  }
  const outcome = parseOutcomeMessage(message.data);
  return outcome === undefined ? [] : outcomeRuns(outcome);
}

function isBulk({ subject }: StoredMessage): boolean {
  return subject.startsWith('bulk.');
}

function outcomeRuns(outcome: OutcomeMessage): Run[] {
  const common = {
    target: outcome.target,
    asset: outcome.asset.fqn,
    entityType: outcome.asset.entityType,
    recordedAt: outcome.at,
    lane: outcome.lane,
    configRevision: outcome.configRevision,
  };
  const superseded = outcome.superseded.map(
    (item): Run => ({
      ...item,
      ...common,
      status: 'superseded',
      reason: item.by === 'duplicate' ? 'duplicate' : `a newer change decided: ${item.by}`,
    }),
  );
  return [...superseded, ...outcome.items.map((item): Run => ({ ...item, ...common }))].sort(
    (a, b) => a.sequence - b.sequence,
  );
}

function matches(run: Run, query: RunsQuery): boolean {
  return (
    (query.status === undefined || run.status === query.status) &&
    (query.channel === undefined || run.channel === query.channel) &&
    (query.asset === undefined || run.asset === query.asset) &&
    (query.column === undefined || run.object === formatFqn(query.column)) &&
    (query.eventId === undefined || run.eventId === query.eventId)
  );
}

export interface DeadLettersQuery {
  readonly limit: number;
  readonly target?: string | undefined;
}

/** A dead letter with its place in the stream. */
export interface StoredDeadLetter {
  readonly sequence: number;
  readonly letter: DeadLetter;
}

/** Dead letters, newest first. Those of intake stand under the target `_intake`. */
export async function readDeadLetters(link: NatsLink, query: DeadLettersQuery): Promise<readonly StoredDeadLetter[]> {
  const filter =
    query.target === undefined
      ? 'deadletter.>'
      : `deadletter.${query.target === '_intake' ? '_intake' : encodeToken(query.target)}.>`;
  const letters: StoredDeadLetter[] = [];
  for await (const message of readNewestFirst(link, { stream: STREAMS.deadLetters, filter, limit: query.limit })) {
    const letter = parseDeadLetter(message.data);
    if (letter !== undefined) letters.push({ sequence: message.sequence, letter });
  }
  return letters;
}

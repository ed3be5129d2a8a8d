import { parseMessage } from '../../src/domain/parse-change-event.ts';
import { STREAMS } from '../../src/domain/subjects.ts';
import { type Run, runsOf } from '../../src/service/history.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { readOldestFirst } from '../../streams/nats/read-stream.ts';
import { fieldName } from './chaos-sources.ts';
import type { EditedField, EditingSession, Part } from './editing-session.ts';
import { isTraceOf } from './publication-trace.ts';

/** What is wrong after a round; each entry tells a person where to look. */
export interface RoundFaults {
  /** Accepted events that are not in CHANGES, and fields without a value although the newest edit gave one. */
  readonly lost: readonly string[];
  /** Fields with another value than that of the newest edit. */
  readonly stale: readonly string[];
  /** Keys (sequence × target × channel × aspect × object) with more than one outcome. */
  readonly duplicated: readonly string[];
  /** Changes, and fields that they touch, without any outcome. */
  readonly without: readonly string[];
  /** Changes whose trace is not that of a publication of their event, and outcomes whose trace is not that of their change. */
  readonly traces: readonly string[];
  /** Outcomes that no fault of this kind may lead to: failed, or skipped because nobody reads the service. */
  readonly wrong: readonly string[];
}

export interface StoredChange {
  readonly sequence: number;
  readonly eventId: string;
  readonly traceId: string;
  /** Objects that the diff touches. */
  readonly objects: readonly string[];
}

/** Compares the sources, CHANGES and the whole of OUTCOMES with what was edited. */
export async function judgeRound(
  link: NatsLink,
  session: EditingSession,
  sources: ReadonlyMap<string, string>,
): Promise<{ readonly changes: number; readonly faults: RoundFaults }> {
  const changes = await readChanges(link);
  return { changes: changes.length, faults: judge(session, { sources, changes, runs: await readAllRuns(link) }) };
}

/** What was found after a round. */
export interface Found {
  /** What stands in the sources, by `fieldName`. */
  readonly sources: ReadonlyMap<string, string>;
  readonly changes: readonly StoredChange[];
  readonly runs: readonly Run[];
}

export function judge(session: EditingSession, { sources, changes, runs }: Found): RoundFaults {
  const stored = new Set(changes.map(({ eventId }) => eventId));
  const missing = new Set(session.publications.map(({ eventId }) => eventId).filter((id) => !stored.has(id)));
  const verdicts = session.fields.map((field) => judgeField(field, sources, runs));
  return {
    lost: [...[...missing].map((id) => `${id} is not in CHANGES`), ...verdicts.flatMap(({ lost }) => lost)],
    stale: verdicts.flatMap(({ stale }) => stale),
    duplicated: duplicatedKeys(runs),
    without: withoutOutcome(changes, runs),
    traces: brokenTraces(changes, runs),
    wrong: runs.filter(isWrong).map((run) => `${run.status} ${run.reason ?? ''}: ${describeRun(run)}`),
  };
}

async function readChanges(link: NatsLink): Promise<readonly StoredChange[]> {
  const changes: StoredChange[] = [];
  for await (const { sequence, data, headers } of readOldestFirst(link, {
    stream: STREAMS.changes,
    filter: '>',
    limit: Number.POSITIVE_INFINITY,
  })) {
    const [message] = parseMessage(data);
    if (message?.kind !== 'change') throw new Error(`change ${sequence} cannot be read`);
    const objects = (message.event.changes ?? []).flatMap(({ name }) => objectOf(name) ?? []);
    const traceId = headers.traceparent?.split('-')[1] ?? '';
    changes.push({ sequence, eventId: message.event.id, traceId, objects });
  }
  return changes;
}

function objectOf(name: string): string | undefined {
  if (name === 'description') return '';
  return /^columns\.(\w+)\.description$/.exec(name)?.[1];
}

async function readAllRuns(link: NatsLink): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for await (const message of readOldestFirst(link, {
    stream: STREAMS.outcomes,
    filter: '>',
    limit: Number.POSITIVE_INFINITY,
  }))
    runs.push(...runsOf(message));
  return runs;
}

function judgeField(
  { table, part, edits }: EditedField,
  sources: ReadonlyMap<string, string>,
  runs: readonly Run[],
): { readonly lost: readonly string[]; readonly stale: readonly string[] } {
  const name = fieldName(table.service, table.name, part);
  const newest = edits.at(-1);
  const found = sources.get(name);
  if (newest === undefined || found === newest.value) return { lost: [], stale: [] };
  // Without a catalogue to ask, a text is not cleared on a doubtful word, and the outcome says so.
  if (newest.value === undefined && clearedInDoubt(newest.eventId, part, runs)) return { lost: [], stale: [] };
  const text = `${name}: ${JSON.stringify(found)}, the newest edit ${newest.eventId} says ${JSON.stringify(newest.value)}; recorded: ${history(edits, part, runs)}`;
  return found === undefined ? { lost: [text], stale: [] } : { lost: [], stale: [text] };
}

/** What became of the last edits of a field, oldest first. */
function history(edits: EditedField['edits'], part: Part, runs: readonly Run[]): string {
  const object = part === 'table' ? '' : part;
  const shown = edits.slice(-3).map(({ eventId, value }) => {
    const own = runs.filter((run) => run.eventId === eventId && run.object === object);
    const what = own.map(({ sequence, status, reason, decidedBy }) => [sequence, status, reason, decidedBy].join(' '));
    return `${JSON.stringify(value)} → ${what.join(' + ')}`;
  });
  return shown.join('; ');
}

/** The clearing, or the newer change that took its place, was not made because of a doubt. */
function clearedInDoubt(eventId: string, part: Part, runs: readonly Run[], seen: readonly string[] = []): boolean {
  const object = part === 'table' ? '' : part;
  return runs.some((run) => {
    if (run.eventId !== eventId || run.object !== object) return false;
    if (run.status === 'skipped') return run.decidedBy === 'snapshot';
    const by = run.status === 'superseded' ? run.by : undefined;
    return by !== undefined && !seen.includes(by) && clearedInDoubt(by, part, runs, [...seen, eventId]);
  });
}

function keyOf({ sequence, target, channel, aspect, object }: Run): string {
  return JSON.stringify([sequence, target, channel, aspect, object]);
}

function describeRun(run: Run): string {
  return `${keyOf(run)} of ${run.eventId} by ${run.lane}`;
}

function duplicatedKeys(runs: readonly Run[]): readonly string[] {
  const byKey = new Map<string, Run[]>();
  for (const run of runs) byKey.set(keyOf(run), [...(byKey.get(keyOf(run)) ?? []), run]);
  return [...byKey]
    .filter(([, same]) => same.length > 1)
    .map(([key, same]) => `${key}: ${same.map(({ status, recordedAt }) => `${status} at ${recordedAt}`).join(', ')}`);
}

function withoutOutcome(changes: readonly StoredChange[], runs: readonly Run[]): readonly string[] {
  const objects = new Map<number, Set<string>>();
  for (const run of runs) objects.set(run.sequence, (objects.get(run.sequence) ?? new Set<string>()).add(run.object));
  return changes.flatMap(({ sequence, eventId, objects: touched }) => {
    const recorded = objects.get(sequence);
    if (recorded === undefined) return [`${sequence} (${eventId}): no outcome`];
    const missing = touched.filter((object) => !recorded.has(object));
    return missing.map((object) => `${sequence} (${eventId}): no outcome for ${JSON.stringify(object)}`);
  });
}

/** The trace of a change comes from whoever published it, and goes on to each of its outcomes, whoever had to take it up again. */
function brokenTraces(changes: readonly StoredChange[], runs: readonly Run[]): readonly string[] {
  const known = new Map(changes.map((change) => [change.sequence, change.traceId]));
  return [
    ...changes
      .filter(({ traceId, eventId }) => !isTraceOf(traceId, eventId))
      .map(({ sequence, eventId, traceId }) => `${sequence} (${eventId}) has the trace ${JSON.stringify(traceId)}`),
    ...runs
      .filter(({ sequence, traceId }) => known.has(sequence) && traceId !== known.get(sequence))
      .map((run) => `${describeRun(run)} has the trace ${run.traceId}, its change ${known.get(run.sequence)}`),
  ];
}

function isWrong({ status, reason, decidedBy }: Run): boolean {
  if (status === 'failed' || status === 'observed') return true;
  if (status !== 'skipped' || decidedBy === 'snapshot') return false;
  return reason !== 'the change touches nothing that is written back';
}

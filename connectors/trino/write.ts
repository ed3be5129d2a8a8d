import type { Failure } from '../../src/domain/failure.ts';
import type { PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { TIMED_OUT } from './client/statement-client.ts';
import { detailOf, missingFailure } from './detail.ts';
import { TrinoQueryError } from './errors.ts';
import { planTrino } from './plan.ts';
import { parsePrincipal } from './principal.ts';
import { type ReadContext, readObjects } from './read.ts';
import { rowKey } from './read-query.ts';

/** Tables that are written at the same time; the writes of one table run one after the other, since each is a commit of its own. */
const PARALLEL = 2;

/** A write that ran without an error, or that may have run although it was cancelled. */
interface Ran {
  readonly write: PlannedWrite;
  /** What really ran, when it differs from the plan. */
  readonly statements?: readonly string[];
  readonly notes?: readonly string[];
  /** The write was cancelled: whether it was carried out has to be seen. */
  readonly doubt?: Failure;
}

/**
 * Runs the writes: descriptions, then templates, then owners, which may take our own rights away. There are no transactions, each
 * statement counts by itself. The systems behind a catalog may change a text, so descriptions are read back.
 * Every write gets exactly one result; a failure of the whole target is thrown.
 */
export async function writeAll(context: ReadContext, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const isTemplate = ({ options }: PlannedWrite) => options.template !== undefined;
  const isOwner = ({ operation }: PlannedWrite) => operation.aspect === 'owners';
  const phases = [
    writes.filter((write) => !isTemplate(write) && !isOwner(write)),
    writes.filter((write) => isTemplate(write) && !isOwner(write)),
    writes.filter(isOwner),
  ];
  const results: WriteResult[] = [];
  for (const phase of phases) {
    const ran: Ran[] = [];
    await inParallel([...Map.groupBy(phase, tableOf).values()], async (ofTable) => {
      for (const write of ofTable) {
        const done = await run(context, write);
        if ('failure' in done) results.push({ id: write.id, ok: false, failure: done.failure });
        else ran.push(done);
      }
    });
    results.push(...(await verify(context, ran)));
  }
  return results;
}

function tableOf({ operation: { object } }: PlannedWrite): string {
  return rowKey(object.database, object.schema, object.table);
}

/** A few at a time. After a failure nothing new begins, and it is thrown when all that had begun has ended. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && failures.length === 0; item = waiting.shift()) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  if (failures.length > 0) throw failures[0];
}

type Done = Ran | { readonly failure: Failure };

async function run(context: ReadContext, write: PlannedWrite): Promise<Done> {
  try {
    await runPlan(context, write);
    return { write };
  } catch (error) {
    const failure = objectFailure(error);
    if (failure.code === TIMED_OUT.code) return { write, doubt: failure };
    const hint = error instanceof TrinoQueryError ? error.hint : undefined;
    if (write.options.template !== undefined) return { failure };
    context.lacks.remember(write.operation, write.source.kind, hint);
    return hint === 'other-kind' ? runAsOtherKind(context, write, failure) : { failure };
  }
}

/** The object was replaced by one of another kind since it was read: look again and plan anew, once. */
async function runAsOtherKind(context: ReadContext, write: PlannedWrite, failure: Failure): Promise<Done> {
  const [source] = await readObjects(context, [write.operation.object]);
  if (source === undefined || source.kind === write.source.kind) return { failure };
  const replanned = planTrino(write.operation, source, write.options);
  if (!replanned.ok) return { failure: replanned.error.failure };
  const again = { ...write, plan: replanned.value, source };
  try {
    await runPlan(context, again);
  } catch (error) {
    return { failure: objectFailure(error) };
  }
  const notes = [`The object is a ${source.kind} now; the statement was made anew.`];
  return { write: again, statements: again.plan.statements, notes };
}

async function runPlan({ client }: ReadContext, { plan, traceparent }: PlannedWrite): Promise<void> {
  const state = client.newState();
  for (const statement of plan.statements) await client.run(statement, { traceparent, state });
}

/** Reads back in one go what ran. */
async function verify(context: ReadContext, ran: readonly Ran[]): Promise<readonly WriteResult[]> {
  const readable = ran.filter(({ write: { operation } }) => operation.aspect !== 'tags');
  const sources = new Map<Ran, SourceObject | undefined>();
  for (const [index, source] of (await readBack(context, readable)).entries()) {
    const one = readable[index];
    if (one !== undefined) sources.set(one, source);
  }
  const last = new Map(ran.map((one) => [objectOf(one.write), one]));
  return ran.map((one) => {
    // Of two writes to one object only the later can be seen.
    const isSeen = last.get(objectOf(one.write)) === one;
    return resultOf(one, isSeen ? sources.get(one) : undefined);
  });
}

function objectOf({ operation: { aspect, object } }: PlannedWrite): string {
  return `${aspect} ${rowKey(object.database, object.schema, object.table, ...(object.column ?? []))}`;
}

/** Undefined for what cannot be read, for a reason that concerns that object alone. */
async function readBack(context: ReadContext, ran: readonly Ran[]): Promise<readonly (SourceObject | undefined)[]> {
  if (ran.length === 0) return [];
  try {
    return await readObjects(
      context,
      ran.map(({ write }) => write.operation.object),
    );
  } catch (error) {
    objectFailure(error);
    if (ran.length === 1) return [undefined];
    const sources: (SourceObject | undefined)[] = [];
    for (const one of ran) sources.push(...(await readBack(context, [one])));
    return sources;
  }
}

function resultOf({ write, statements, notes = [], doubt }: Ran, now: SourceObject | undefined): WriteResult {
  const { id, operation, plan, options } = write;
  const failed = (failure: Failure): WriteResult => ({ id, ok: false, failure });
  const wanted = plan.value;
  const stands = operation.aspect === 'description' ? now?.description : now?.owner;
  const done = (verified: 'read' | 'commit' | 'no', more: readonly string[] = []): WriteResult => ({
    id,
    ok: true,
    verified,
    ...(wanted === undefined ? {} : { value: wanted }),
    ...(statements === undefined ? {} : { statements }),
    ...(notes.length + more.length === 0 ? {} : { notes: [...notes, ...more] }),
  });
  const seen = now?.exists === true && (operation.aspect === 'description' || stands !== undefined);
  if (seen && stands === wanted) return done('read', doubt === undefined ? [] : [LATE]);
  if (doubt !== undefined) return failed(doubt);
  // A template may well write somewhere else.
  if (options.template !== undefined) return { id, ok: true, verified: 'no' };
  if (operation.aspect === 'owners') return ownerResult(write, stands) ?? done('no', [OWNER_UNSEEN]);
  if (now === undefined) return done('commit');
  if (!now.exists) return failed(missingFailure(detailOf(now)));
  return failed(stands === write.source.description ? NOT_KEPT : DIFFERS);
}

/** Names of roles are lower-cased; another owner than the wanted one is a failure where it can be read. */
function ownerResult({ id, operation, plan }: PlannedWrite, stands: string | undefined): WriteResult | undefined {
  if (stands === undefined || operation.aspect !== 'owners') return undefined;
  const [one, other] = [parsePrincipal(stands), parsePrincipal(plan.value ?? '')];
  if (one.kind === other.kind && one.name.toLowerCase() === other.name.toLowerCase()) {
    return { id, ok: true, verified: 'read', value: stands };
  }
  return { id, ok: false, failure: DIFFERS };
}

const LATE = 'The statement took too long and was cancelled, and was carried out all the same.';
const OWNER_UNSEEN = 'Trino does not tell the owner of this object: that the statement succeeded is the only proof.';

const NOT_KEPT: Failure = {
  class: 'unsupported',
  scope: 'object',
  code: 'comment-not-kept',
  message: 'The system behind the catalog accepted the comment and did not keep it.',
};

const DIFFERS: Failure = {
  class: 'conflict',
  scope: 'object',
  code: 'read-back-differs',
  message:
    'The statement succeeded, but another value stands there: somebody else wrote it, or the system behind the catalog changed it.',
};

import type { Failure } from '../../src/domain/failure.ts';
import type { PlannedWrite, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { missingFailure } from './missing.ts';
import { planSteps } from './plan.ts';
import { type ReadSettings, readObjects } from './read.ts';
import type { Session, Statements } from './session.ts';
import { BATCH } from './spec.ts';
import { boundText, type Step, type Steps, showStep } from './step.ts';

/** A write with what is sent for it. */
interface Ready {
  readonly write: PlannedWrite;
  readonly planned: Steps;
}

/**
 * Runs the writes of one database. Order: properties, many to a transaction; then templates; owners last, each alone, since they can take
 * our own rights away. Throws `ConnectorError` of scope `target`; every other failure is a result.
 */
export async function writeAll(
  session: Session,
  writes: readonly PlannedWrite[],
  settings: ReadSettings,
): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  const ready: Ready[] = [];
  for (const write of writes) {
    const planned = planSteps(write.operation, write.source, write.options);
    if (planned.ok) ready.push({ write, planned: planned.value });
    else results.push(failed(write, planned.error.failure));
  }
  const isTemplate = ({ write }: Ready) => write.options.template !== undefined;
  const isOwner = ({ write }: Ready) => write.operation.aspect === 'owners';
  const properties = ready.filter((one) => !isTemplate(one) && !isOwner(one)).sort(byObject);
  const templates = ready.filter((one) => isTemplate(one) && !isOwner(one));
  const owners = ready.filter(isOwner).sort(byObject);

  for (let start = 0; start < properties.length; start += BATCH) {
    results.push(...(await writeTogether(session, properties.slice(start, start + BATCH), settings)));
  }
  for (const one of [...templates, ...owners]) results.push(await writeAlone(session, one, settings));
  return results;
}

/** All writers take their locks in the same order, so that they wait for each other instead of deadlocking. */
function byObject(one: Ready, other: Ready): number {
  const key = ({ write }: Ready) => {
    const { schema, table, column } = write.operation.object;
    return [schema ?? '', table ?? '', ...(column ?? [])].join('\0');
  };
  const [a, b] = [key(one), key(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** All in one transaction. When one fails, it has had its turn; the others then go one by one, so that each stands for itself. */
async function writeTogether(
  session: Session,
  writes: readonly Ready[],
  settings: ReadSettings,
): Promise<readonly WriteResult[]> {
  const [only, ...others] = writes;
  if (only === undefined) return [];
  if (others.length === 0) return [await writeAlone(session, only, settings)];
  let current: Ready | undefined;
  let blame: Failure;
  try {
    await session.inTransaction(async (statements) => {
      for (const one of writes) {
        current = one;
        await run(statements, one);
      }
      current = undefined;
    });
    return writes.map(committed);
  } catch (error) {
    blame = objectFailure(error);
  }
  const results: WriteResult[] = [];
  for (const one of writes) {
    results.push(
      one === current ? await afterFailure(session, one, blame, settings) : await writeAlone(session, one, settings),
    );
  }
  return results;
}

async function writeAlone(session: Session, one: Ready, settings: ReadSettings): Promise<WriteResult> {
  if (one.planned.steps.length === 0) return committed(one);
  try {
    // The owner of a database is changed outside of transactions, as its other properties are.
    if (isDatabaseOwner(one.write)) await run(session, one);
    else await session.inTransaction((statements) => run(statements, one));
  } catch (error) {
    return afterFailure(session, one, objectFailure(error), settings);
  }
  return one.write.options.template === undefined ? committed(one) : nativeResult(session, one.write, settings);
}

function isDatabaseOwner({ operation, options }: PlannedWrite): boolean {
  return operation.aspect === 'owners' && operation.object.level === 'database' && options.template === undefined;
}

async function run(statements: Statements, { planned, write }: Ready): Promise<void> {
  for (const step of planned.steps) await runStep(statements, step, write.traceparent);
}

async function runStep(statements: Statements, step: Step, traceparent: string | undefined): Promise<void> {
  if (step.kind === 'call') await statements.ask(withTrace(boundText(step), traceparent), step.arguments);
  else await statements.batch(withTrace(step.text, traceparent));
}

/** Leads from the server's own records back to the change. Nothing but a well-formed traceparent is ever put in. */
export function withTrace(statement: string, traceparent: string | undefined): string {
  if (traceparent === undefined || !/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)) {
    return statement;
  }
  return `${statement} /*traceparent='${traceparent}'*/`;
}

/** What these numbers mean depends on what stands there: gone, of another kind, written by somebody else meanwhile, or not allowed. */
const TELLS_TO_LOOK: ReadonlySet<string> = new Set(['15135', '15151', '15217', '15233', '208', '1088', '4902']);

/** Looks again. When another plan is right by now, it runs, once. */
async function afterFailure(
  session: Session,
  one: Ready,
  failure: Failure,
  settings: ReadSettings,
): Promise<WriteResult> {
  const { write } = one;
  if (!TELLS_TO_LOOK.has(failure.code) || write.options.template !== undefined) return failed(write, failure);
  const [source] = await readObjects(session, [write.operation.object], settings);
  if (source === undefined || !source.exists) {
    return failed(write, missingFailure(source ?? { exists: false }));
  }
  const replanned = planSteps(write.operation, source, write.options);
  if (!replanned.ok) return failed(write, replanned.error.failure);
  const again: Ready = { write, planned: replanned.value };
  const statements = replanned.value.steps.map(showStep);
  if (statements.join('\n') === one.planned.steps.map(showStep).join('\n')) {
    return failed(write, await refined(session, write, failure));
  }
  try {
    await session.inTransaction((transaction) => run(transaction, again));
  } catch (error) {
    return failed(write, objectFailure(error));
  }
  const notes = ['The object had changed since it was read; the statement was made anew.'];
  return { ...committed(again), statements, notes };
}

/** The object is there, and the server still says that something is not: a right, or the new owner. */
async function refined(session: Session, { operation }: PlannedWrite, failure: Failure): Promise<Failure> {
  if (failure.code !== '15135' && failure.code !== '15151') return failure;
  const denied = (message: string): Failure => ({ ...failure, class: 'permission', message });
  if (operation.aspect !== 'owners') {
    return denied('The login may see the object, but not write its extended properties: GRANT ALTER on it.');
  }
  if (operation.object.level === 'database' || operation.principal === undefined) {
    return { ...failure, message: 'The new owner does not exist, or this login may neither see nor impersonate it.' };
  }
  const [rows = []] = await session.ask(
    'SELECT p.principal_id AS id FROM sys.database_principals AS p WHERE p.name = @principal',
    [{ name: 'principal', value: operation.principal, units: 128 }],
  );
  if (rows.length === 0) {
    return { ...failure, message: 'The new owner does not exist in the database as a user or role.' };
  }
  return denied('The login needs TAKE OWNERSHIP on the object, and IMPERSONATE on the new owner or membership in it.');
}

/** Where a template wrote is its own business; only what stands in the native place can be vouched for. */
async function nativeResult(session: Session, write: PlannedWrite, settings: ReadSettings): Promise<WriteResult> {
  const { operation } = write;
  const [source] = await readObjects(session, [operation.object], settings);
  const unproven: WriteResult = { id: write.id, ok: true, verified: 'no' };
  if (source?.exists !== true || operation.aspect === 'tags') return unproven;
  const native = operation.aspect === 'description' ? source.description : source.owner;
  if (native !== write.plan.value) return unproven;
  return { id: write.id, ok: true, verified: 'read', ...(native === undefined ? {} : { value: native }) };
}

/** A property or an owner changes with the commit or not at all, and is what was bound. */
function committed({ write, planned }: Ready): WriteResult & { readonly ok: true } {
  const statements = planned.steps.map(showStep);
  const asShown = statements.join('\n') === write.plan.statements.join('\n');
  return {
    id: write.id,
    ok: true,
    verified: 'commit',
    ...(planned.value === undefined ? {} : { value: planned.value }),
    ...(asShown ? {} : { statements }),
  };
}

function failed({ id }: PlannedWrite, failure: Failure): WriteResult {
  return { id, ok: false, failure };
}

import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import type { Plan, PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { representable } from './charset.ts';
import { detailOf } from './detail.ts';
import { planOracle } from './plan.ts';
import { readObjects } from './read.ts';
import type { Session } from './session.ts';
import { missingFailure } from './target.ts';
import { withTrace } from './trace-comment.ts';

/**
 * Runs the writes one after the other: DDL commits by itself, so that nothing can share a transaction and a bad one fails alone anyway.
 * What failed for a reason that a look at the dictionary explains is looked at afterwards, and what the server can accept and lose is
 * read back; each takes one query for the whole batch. A failure of the whole target is thrown.
 */
export async function writeAll(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const results = new Map<string, WriteResult>();
  let ranTemplate = false;
  for (const write of writes) {
    const isTemplate = write.options.template !== undefined;
    ranTemplate ||= isTemplate;
    results.set(write.id, await (isTemplate ? runTemplate(session, write) : runPlan(session, write, write.plan)));
  }
  // A template may have changed the session's modes.
  if (ranTemplate) await session.pin();
  await explainFailures(session, writes, results);
  await readBack(session, writes, results);
  return writes.flatMap(({ id }) => results.get(id) ?? []);
}

async function runPlan(session: Session, write: PlannedWrite, plan: Plan): Promise<WriteResult> {
  try {
    for (const statement of plan.statements) await runStatement(session, statement, write.traceparent);
  } catch (error) {
    return failed(write.id, objectFailure(error));
  }
  return { id: write.id, ok: true, verified: 'commit', ...(plan.value === undefined ? {} : { value: plan.value }) };
}

/** What of a template can be rolled back is rolled back together; DDL in it commits what stands before it. */
async function runTemplate(session: Session, write: PlannedWrite): Promise<WriteResult> {
  try {
    for (const statement of write.plan.statements) await runStatement(session, statement, write.traceparent);
    await session.run('COMMIT');
  } catch (error) {
    const failure = objectFailure(error);
    await session.run('ROLLBACK');
    return failed(write.id, failure);
  }
  return { id: write.id, ok: true, verified: 'no' };
}

async function runStatement(session: Session, statement: string, traceparent: string | undefined): Promise<void> {
  // The server would put another character for one that it does not hold, in a name too, and then mean another object.
  if (!session.charset.isUnicode && representable(statement, session.charset).lost > 0) {
    throw new ConnectorError({
      class: 'invalid',
      scope: 'object',
      code: 'not-representable',
      message: `The statement holds a character that the database's character set (${session.charset.name}) does not.`,
    });
  }
  await session.run(withTrace(statement, traceparent));
}

/** The server says the same for what is not there and what may not be touched, and objects change their kind. */
const UNCLEAR: ReadonlySet<Failure['class']> = new Set(['not_found', 'permission']);

async function explainFailures(
  session: Session,
  writes: readonly PlannedWrite[],
  results: Map<string, WriteResult>,
): Promise<void> {
  const unclear = writes.filter(({ id, options }) => {
    const result = results.get(id);
    if (result?.ok !== false || options.template !== undefined) return false;
    return UNCLEAR.has(result.failure.class) || KIND_CODES.has(result.failure.code);
  });
  const sources = await readObjects(
    session,
    unclear.map(({ operation }) => operation.object),
  );
  for (const [index, write] of unclear.entries()) {
    const [result, source] = [results.get(write.id), sources[index]];
    if (result?.ok !== false || source === undefined) continue;
    results.set(write.id, await explained(session, write, result.failure, source));
  }
}

const KIND_CODES: ReadonlySet<string> = new Set(['ORA-12098', 'ORA-12003']);

async function explained(
  session: Session,
  write: PlannedWrite,
  failure: Failure,
  source: SourceObject,
): Promise<WriteResult> {
  if (!source.exists) {
    const ambiguous = detailOf(source)?.ambiguous !== undefined;
    return failed(write.id, ambiguous ? failure : missingFailure(detailOf(source)));
  }
  if (KIND_CODES.has(failure.code)) return runAnew(session, write, failure, source);
  if (failure.class !== 'not_found' || failure.code === 'ORA-00904') return failed(write.id, failure);
  const message = 'The user sees the object but may not write to it. Run the check for the exact GRANT.';
  return failed(write.id, { ...failure, class: 'permission', message });
}

/** The object was replaced by one of another kind since it was read: plan anew, once. */
async function runAnew(
  session: Session,
  write: PlannedWrite,
  failure: Failure,
  source: SourceObject,
): Promise<WriteResult> {
  const planned = planOracle(write.operation, source, write.options);
  if (!planned.ok) return failed(write.id, planned.error.failure);
  const { statements } = planned.value;
  if (statements.join('\n') === write.plan.statements.join('\n')) return failed(write.id, failure);
  const result = await runPlan(session, write, planned.value);
  if (!result.ok) return result;
  return { ...result, statements, notes: [`The object is a ${source.kind} now; the statement was made anew.`] };
}

/** What a commit does not prove: texts that went through another character set, annotations, and whatever a template did. */
async function readBack(
  session: Session,
  writes: readonly PlannedWrite[],
  results: Map<string, WriteResult>,
): Promise<void> {
  const doubtful = writes.filter(({ id, operation, options }) => {
    if (results.get(id)?.ok !== true || operation.aspect === 'owners') return false;
    return options.template !== undefined || operation.aspect === 'tags' || !session.charset.isUnicode;
  });
  const sources = await readObjects(
    session,
    doubtful.map(({ operation }) => operation.object),
  );
  for (const [index, write] of doubtful.entries()) {
    const [result, source] = [results.get(write.id), sources[index]];
    if (result?.ok !== true || source === undefined) continue;
    if (stands(write, source)) {
      const { value } = write.plan;
      results.set(write.id, { ...result, verified: 'read', ...(value === undefined ? {} : { value }) });
    } else if (write.options.template === undefined && !isOvertaken(write, writes)) {
      results.set(write.id, failed(write.id, DIFFERS));
    }
  }
}

function stands({ operation, plan }: PlannedWrite, source: SourceObject): boolean {
  if (!source.exists) return false;
  if (operation.aspect === 'description') return (source.description ?? '') === (plan.value ?? '');
  if (operation.aspect === 'owners') return false;
  const has = (key: string, value: string): boolean =>
    source.tags?.some((tag) => tag.key === key && tag.value === value) === true;
  const wanted = (key: string, value: string): boolean =>
    operation.desired.some((tag) => tag.key === key && tag.value === value);
  return (
    operation.desired.every(({ key, value }) => has(key, value)) &&
    operation.unset.every(({ key, value }) => wanted(key, value) || !has(key, value))
  );
}

/** A later write of the batch is meant to stand there instead. */
function isOvertaken({ operation }: PlannedWrite, writes: readonly PlannedWrite[]): boolean {
  const place = JSON.stringify([operation.aspect, operation.object]);
  return (
    writes.filter((other) => JSON.stringify([other.operation.aspect, other.operation.object]) === place).length > 1
  );
}

const DIFFERS: Failure = {
  class: 'conflict',
  scope: 'object',
  code: 'read-back-differs',
  message: 'The server accepted the write, but something else stands there now.',
};

function failed(id: string, failure: Failure): WriteResult {
  return { id, ok: false, failure };
}

import type { Failure } from '../../src/domain/failure.ts';
import type { PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { detailOf } from './detail.ts';
import { missingFailure, planClause } from './plan.ts';
import { readObjects } from './read.ts';
import type { Session } from './session.ts';
import { type DescriptionWrite, DIFFERS, failed, shown, targetOf, traced } from './write-result.ts';
import type { WriteSeams } from './write-seams.ts';
import { writeTable } from './write-table.ts';
import { writeTableComments } from './write-table-comments.ts';

/**
 * Runs the writes: templates one after the other, schemas one by one, and everything else table by table. Every write gets exactly one
 * result; a failure of the whole target is thrown.
 */
export async function writeAll(
  session: Session,
  writes: readonly PlannedWrite[],
  seams: WriteSeams,
): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  const descriptions: DescriptionWrite[] = [];
  const templates: PlannedWrite[] = [];
  for (const write of writes) {
    const { operation } = write;
    if (write.options.template !== undefined) templates.push(write);
    else if (operation.aspect === 'description') descriptions.push({ write, operation });
    else results.push(failed(write.id, UNPLANNABLE));
  }
  for (const round of roundsOf(descriptions)) {
    const tables: DescriptionWrite[] = [];
    for (const group of groupsOf(round)) {
      const [first, ...others] = group;
      const level = first?.operation.object.level;
      if (first !== undefined && level === 'schema') results.push(await writeSchema(session, first));
      else if (first !== undefined && level === 'table' && others.length === 0) tables.push(first);
      else results.push(...(await writeTable(session, group, seams)));
    }
    results.push(...(await writeTableComments(session, tables)));
  }
  for (const write of templates) results.push(await writeTemplate(session, write));
  // A template may have changed the session's modes.
  if (templates.length > 0) await session.pin();
  return explainMissing(session, descriptions, results);
}

/**
 * For an object that is not there the server may say that a privilege is missing (1044, 1142), or, for a database, that it cannot write
 * a file (1). What cannot be seen afterwards is reported as missing.
 */
async function explainMissing(
  session: Session,
  descriptions: readonly DescriptionWrite[],
  results: readonly WriteResult[],
): Promise<readonly WriteResult[]> {
  const unclear = new Set(
    results
      .filter((one) => !one.ok && (one.failure.class === 'permission' || one.failure.code === '1'))
      .map(({ id }) => id),
  );
  const asked = descriptions.filter(({ write }) => unclear.has(write.id));
  if (asked.length === 0) return results;
  const sources = await readObjects(
    session,
    asked.map(({ operation }) => operation.object),
  );
  const missing = new Map<string, Failure>();
  for (const [index, { write }] of asked.entries()) {
    const source = sources[index];
    if (source?.exists === false) missing.set(write.id, missingFailure(detailOf(source)));
  }
  return results.map((one) => {
    const failure = missing.get(one.id);
    return failure === undefined ? one : failed(one.id, failure);
  });
}

const UNPLANNABLE: Failure = {
  class: 'unsupported',
  scope: 'object',
  code: 'no-plan',
  message: 'Only descriptions can be written to MySQL and MariaDB without a template.',
};

/** Writes of the same object run one after the other, in their order; all others together. */
function roundsOf(writes: readonly DescriptionWrite[]): readonly (readonly DescriptionWrite[])[] {
  const rounds: DescriptionWrite[][] = [];
  const seen = new Map<string, number>();
  for (const one of writes) {
    const target = targetOf(one.operation.object);
    const round = seen.get(target) ?? 0;
    seen.set(target, round + 1);
    rounds[round] ??= [];
    rounds[round].push(one);
  }
  return rounds;
}

/** What one ALTER can do: a schema alone, or a table with its columns. */
function groupsOf(writes: readonly DescriptionWrite[]): Iterable<readonly DescriptionWrite[]> {
  return Map.groupBy(writes, ({ operation: { object } }) =>
    JSON.stringify(object.level === 'schema' ? [object.schema] : [object.schema, object.table]),
  ).values();
}

async function writeSchema(session: Session, { write, operation }: DescriptionWrite): Promise<WriteResult> {
  const source: SourceObject = { exists: true, kind: 'database', detail: { server: session.server } };
  const clause = planClause(operation, source, write.options);
  if (!clause.ok) return failed(write.id, clause.error.failure);
  const { text, value } = clause.value;
  try {
    await session.run(traced(text, write.traceparent));
  } catch (error) {
    return failed(write.id, objectFailure(error));
  }
  const [now] = await readObjects(session, [operation.object]);
  if (now?.description !== value) return failed(write.id, DIFFERS);
  return { id: write.id, ok: true, verified: 'read', ...shown(text, write), ...(value === undefined ? {} : { value }) };
}

async function writeTemplate(session: Session, write: PlannedWrite): Promise<WriteResult> {
  const { operation } = write;
  try {
    for (const statement of write.plan.statements) await session.run(traced(statement, write.traceparent));
  } catch (error) {
    return failed(write.id, objectFailure(error));
  }
  if (operation.aspect !== 'description') return { id: write.id, ok: true, verified: 'no' };
  // A template may well write somewhere else; it is proven only where the native comment says the same.
  const [now] = await readObjects(session, [operation.object]);
  const wanted = operation.text === '' ? undefined : operation.text;
  if (now === undefined || !now.exists || now.description !== wanted) return { id: write.id, ok: true, verified: 'no' };
  return { id: write.id, ok: true, verified: 'read', ...(wanted === undefined ? {} : { value: wanted }) };
}

import type { Failure } from '../../src/domain/failure.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { SourceObject, WriteResult } from '../contract.ts';
import { columnComment } from './column-definition.ts';
import { type Algorithm, alterTable, type Clause, missingFailure, planClause } from './plan.ts';
import { definitionOf, findColumn, readObjects, showCreateTable } from './read.ts';
import type { Session } from './session.ts';
import type { CreateTable } from './show-create.ts';
import { definitionWithout, tableComment } from './table-options.ts';
import { type DescriptionWrite, DIFFERS, failed, objectFailure, shown, traced } from './write-result.ts';
import type { WriteSeams } from './write-seams.ts';

/** Clauses of one ALTER: every result of the batch shows the whole statement, so it must not grow without bound. */
const CLAUSES = 25;

/** A write with its share of the ALTER. */
interface Ready extends DescriptionWrite {
  readonly clause: Clause;
}

/**
 * Writes the comments of one table and of its columns, all different objects, with as few ALTERs as can be. When one of several writes
 * makes the ALTER fail, it fails alone in the end.
 */
export async function writeTable(
  session: Session,
  group: readonly DescriptionWrite[],
  seams: WriteSeams,
): Promise<readonly WriteResult[]> {
  if (group.length > CLAUSES) {
    const [head, rest] = [group.slice(0, CLAUSES), group.slice(CLAUSES)];
    return [...(await writeTable(session, head, seams)), ...(await writeTable(session, rest, seams))];
  }
  const attempt = group.some(({ operation }) => operation.object.level === 'column')
    ? await writeColumns(session, group, seams)
    : await writeTableComment(session, group);
  if (attempt.results !== undefined) return attempt.results;
  // Halves find the bad ones with fewer ALTERs than one by one.
  const half = Math.ceil(group.length / 2);
  const head = await writeTable(session, group.slice(0, half), seams);
  return [...head, ...(await writeTable(session, group.slice(half), seams))];
}

/** Undefined: nothing was written, and the writes have to be tried apart. */
interface Attempt {
  readonly results: readonly WriteResult[] | undefined;
}

function allFailed(group: readonly DescriptionWrite[], failure: Failure): WriteResult[] {
  return group.map(({ write }) => failed(write.id, failure));
}

/** A table's own comment needs neither its definition nor a lock. */
async function writeTableComment(session: Session, group: readonly DescriptionWrite[]): Promise<Attempt> {
  const { ready, refused } = planAll(group, () => ({
    exists: true,
    kind: 'table',
    detail: { server: session.server },
  }));
  const [one] = ready;
  if (one === undefined) return { results: refused };
  const ran = await alter(session, ready);
  if (!ran.ok) return { results: [...refused, ...allFailed(ready, ran.failure)] };
  const [now] = await readObjects(session, [one.operation.object]);
  return { results: [...refused, resultOf(one, now?.description ?? '', ran.statement, [])] };
}

/** SHOW CREATE TABLE, ALTER and the comparison run under a lock, so that no definition changes between them. */
async function writeColumns(session: Session, group: readonly DescriptionWrite[], seams: WriteSeams): Promise<Attempt> {
  const [first] = group;
  if (first === undefined) return { results: [] };
  const address = addressOf(first);
  if (typeof address !== 'string') return { results: allFailed(group, address) };
  const lock = seams.lock ? await lockTable(session, address) : 'no';
  if (lock === 'yes') {
    try {
      return await restateColumns(session, group, [], seams);
    } finally {
      await unlock(session);
    }
  }
  if (lock === 'no') return restateColumns(session, group, [], seams);
  if (lock.class !== 'permission') return { results: allFailed(group, lock) };

  const refused: WriteResult[] = [];
  const accepted: DescriptionWrite[] = [];
  for (const one of group) {
    const racy = one.operation.object.level === 'column';
    if (racy && one.write.options.acceptRace !== true) refused.push(failed(one.write.id, lockFailure(lock, session)));
    else accepted.push(one);
  }
  if (accepted.length === 0) return { results: refused };
  const rest = await restateColumns(session, accepted, [UNLOCKED], seams);
  return rest.results === undefined ? rest : { results: [...refused, ...rest.results] };
}

const UNLOCKED =
  'Without the LOCK TABLES privilege: a change of the column made by somebody else in this moment may have been undone.';

function lockFailure(failure: Failure, session: Session): Failure {
  const message = `A column's comment is written under a lock on its table, for which ${session.account} lacks a privilege: GRANT LOCK TABLES on the database and SELECT on the table (see the check), or let the channel accept the race (acceptRace).`;
  return { ...failure, message };
}

async function lockTable(session: Session, address: string): Promise<'yes' | Failure> {
  try {
    await session.run(`LOCK TABLES ${address} WRITE`);
    return 'yes';
  } catch (error) {
    return objectFailure(error);
  }
}

async function unlock(session: Session): Promise<void> {
  if (!session.usable) return;
  try {
    await session.run('UNLOCK TABLES');
  } catch {
    // The lock must not outlive the write.
    session.destroy();
  }
}

async function restateColumns(
  session: Session,
  group: readonly DescriptionWrite[],
  notes: readonly string[],
  seams: WriteSeams,
): Promise<Attempt> {
  const [first] = group;
  if (first === undefined) return { results: [] };
  const before = await showCreateTable(session, first.operation.object);
  if (typeof before === 'string') return { results: allFailed(group, notShown(before)) };
  const { ready, refused } = planAll(group, (object) => sourceOf(object, before, session));
  if (ready.length === 0) return { results: refused };
  await seams.beforeAlter?.();
  const ran = await alter(session, ready);
  if (!ran.ok) {
    const again = group.length > 1 && ran.failure.class !== 'transient';
    return { results: again ? undefined : [...refused, ...allFailed(ready, ran.failure)] };
  }
  const after = await showCreateTable(session, first.operation.object);
  if (typeof after === 'string') return { results: [...refused, ...allFailed(ready, notShown(after))] };
  const written = {
    table: ready.some(({ clause }) => clause.target === 'table'),
    columns: new Set(
      ready.flatMap(({ operation }) => findColumn(before, operation.object.column?.[0] ?? '')?.name ?? []),
    ),
  };
  if (definitionWithout(before, written) !== definitionWithout(after, written)) {
    return { results: [...refused, ...allFailed(ready, CHANGED)] };
  }
  const results = ready.map((one) => resultOf(one, commentIn(after, one.operation.object), ran.statement, notes));
  return { results: [...refused, ...results] };
}

const CHANGED: Failure = {
  class: 'invalid',
  scope: 'object',
  code: 'definition-changed',
  message:
    'ALARM: SHOW CREATE TABLE shows more changes than the comments that were written. Compare the table with its migrations; Backflow does not touch it again by itself.',
};

function notShown(reason: string): Failure {
  return {
    class: 'permission',
    scope: 'object',
    code: 'definition-not-visible',
    message: `The table's definition is not known: ${reason}`,
  };
}

function sourceOf(object: ObjectRef, create: CreateTable, session: Session): SourceObject {
  const { server } = session;
  const [column] = object.column ?? [];
  if (object.level !== 'column' || column === undefined) return { exists: true, kind: 'table', detail: { server } };
  const found = definitionOf(create, column);
  if (found.definition === undefined) return { exists: false, detail: { server, missing: 'column' } };
  return { exists: true, kind: 'table', detail: { server, ...found } };
}

function planAll(
  group: readonly DescriptionWrite[],
  source: (object: ObjectRef) => SourceObject,
): { readonly ready: readonly Ready[]; readonly refused: readonly WriteResult[] } {
  const ready: Ready[] = [];
  const refused: WriteResult[] = [];
  for (const one of group) {
    const clause = planClause(one.operation, source(one.operation.object), one.write.options);
    if (clause.ok) ready.push({ ...one, clause: clause.value });
    else refused.push(failed(one.write.id, clause.error.failure));
  }
  return { ready, refused };
}

/** The quoted table of a write; the failure tells why its name cannot be quoted. */
function addressOf({ operation, write }: DescriptionWrite): string | Failure {
  const { column: _, ...table } = operation.object;
  const clause = planClause({ ...operation, object: { ...table, level: 'table' } }, undefined, write.options);
  return clause.ok ? clause.value.address : clause.error.failure;
}

type Altered = { readonly ok: true; readonly statement: string } | { readonly ok: false; readonly failure: Failure };

const ALGORITHMS: readonly Algorithm[] = ['INSTANT', 'INPLACE'];

/** The server would have to do more than allowed, or (1800, before MySQL 8.0.12 and MariaDB 10.3) does not know the word INSTANT. */
const TRY_NEXT: ReadonlySet<string> = new Set(['1800', '1845', '1846']);

/** Tries the cheapest way first; the server refuses what would copy the table (1845, 1846). */
async function alter(session: Session, ready: readonly Ready[]): Promise<Altered> {
  const [first] = ready;
  let failure: Failure = missingFailure(undefined);
  for (const algorithm of first === undefined ? [] : ALGORITHMS) {
    const statement = alterTable(
      first?.clause.address ?? '',
      ready.map(({ clause }) => clause.text),
      algorithm,
    );
    try {
      await session.run(traced(statement, first?.write.traceparent));
      return { ok: true, statement };
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
      failure = error.failure;
      if (!TRY_NEXT.has(failure.code)) break;
    }
  }
  return { ok: false, failure };
}

function commentIn(create: CreateTable, object: ObjectRef): string {
  if (object.level === 'table') return tableComment(create);
  const column = findColumn(create, object.column?.[0] ?? '');
  const comment = column === undefined ? undefined : columnComment(column.definition);
  return comment?.ok === true ? (comment.value ?? '') : '';
}

function resultOf(one: Ready, stands: string, ran: string, notes: readonly string[]): WriteResult {
  const { write, clause } = one;
  if (stands !== (clause.value ?? '')) return failed(write.id, DIFFERS);
  return {
    id: write.id,
    ok: true,
    verified: 'read',
    ...(clause.value === undefined ? {} : { value: clause.value }),
    ...shown(ran, write),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

import type { Failure } from '../../src/domain/failure.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { SourceObject, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { partsOf } from '../parts.ts';
import { allFailed, alter, planAll, type Ready, resultOf, shownOf } from './alter-table.ts';
import { columnComment, needsCopy } from './column-definition.ts';
import { detailOf } from './detail.ts';
import { planClause } from './plan.ts';
import { printedAfter } from './printed-after.ts';
import type { Session } from './session.ts';
import { readShown, type ShownText, showCreateText } from './show-table.ts';
import type { TableColumns } from './table-columns.ts';
import { definitionWithout, tableComment } from './table-options.ts';
import { type DescriptionWrite, failed } from './write-result.ts';
import type { WriteSeams } from './write-seams.ts';
import { writeTableComments } from './write-table-comments.ts';

/** Clauses of one ALTER, and their length in UTF-16 units, at the most: even old servers take packets of 4 MB. */
const MOST = { count: 500, size: 256 * 1024 };

/**
 * Writes the comments of one table and of its columns, all different objects, with as few ALTERs as can be. When one of several writes
 * makes the ALTER fail, it fails alone in the end.
 */
export async function writeTable(
  session: Session,
  group: readonly DescriptionWrite[],
  seams: WriteSeams,
): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  for (const part of tablePartsOf(group)) results.push(...(await writePart(session, part, seams)));
  return results;
}

/** What the server would copy the table for is apart from the start, since it would take the others with it. */
function* tablePartsOf(group: readonly DescriptionWrite[]): Iterable<readonly DescriptionWrite[]> {
  const copying = ({ write }: DescriptionWrite) => needsCopy(detailOf(write.source)?.definition ?? '');
  for (const alike of Map.groupBy(group, copying).values()) yield* partsOf(alike, MOST, lengthOf);
}

function lengthOf({ write }: DescriptionWrite): number {
  return write.plan.statements.reduce((sum, statement) => sum + statement.length, 0);
}

async function writePart(
  session: Session,
  group: readonly DescriptionWrite[],
  seams: WriteSeams,
): Promise<readonly WriteResult[]> {
  if (group.every(({ operation }) => operation.object.level === 'table')) return writeTableComments(session, group);
  const attempt = await writeColumns(session, group, seams);
  if (attempt.results !== undefined) return attempt.results;
  // Halves find the bad ones with fewer ALTERs than one by one.
  const half = Math.ceil(group.length / 2);
  const head = await writePart(session, group.slice(0, half), seams);
  return [...head, ...(await writePart(session, group.slice(half), seams))];
}

/** Undefined: nothing was written, and the writes have to be tried apart. */
interface Attempt {
  readonly results: readonly WriteResult[] | undefined;
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
  const shown = await showCreateText(session, first.operation.object);
  const before = shown.ok ? readShown(session, shown.value) : shown;
  if (!before.ok) return { results: allFailed(group, notShown(before.error)) };
  const columns = before.value;
  const { ready, refused } = planAll(group, (object) => sourceOf(object, columns, session));
  if (ready.length === 0) return { results: refused };
  await seams.beforeAlter?.();
  const ran = await alter(session, ready);
  if (!ran.ok) {
    const again = group.length > 1 && ran.failure.class !== 'transient';
    return { results: again ? undefined : [...refused, ...allFailed(ready, ran.failure)] };
  }
  const now = await showCreateText(session, first.operation.object);
  if (!now.ok) return { results: [...refused, ...allFailed(ready, notShown(now.error))] };
  session.shown.forget(now.value.address);
  const standing = readBack(session, columns, now.value, ready);
  if (!standing.ok) return { results: [...refused, ...allFailed(ready, standing.error)] };
  const results = ready.map((one) => resultOf(one, standing.value(one), shownOf(one, ran), notes));
  return { results: [...refused, ...results] };
}

/** The comment that stands where a write wanted one. */
type Standing = (one: Ready) => string;

/** What stands after an ALTER; an error when the table cannot be read or when anything else of it has changed. */
function readBack(
  session: Session,
  before: TableColumns,
  shown: ShownText,
  ready: readonly Ready[],
): Result<Standing, Failure> {
  const asWanted = printedAfter(
    before,
    ready.map(({ operation, clause }) => ({ column: operation.object.column?.[0], clause })),
  );
  if (shown.text === asWanted) return ok(({ clause }) => clause.value ?? '');
  const after = readShown(session, shown);
  if (!after.ok) return err(notShown(after.error));
  const written = {
    table: ready.some(({ clause }) => clause.target === 'table'),
    columns: new Set(ready.flatMap(({ operation }) => before.find(operation.object.column?.[0] ?? '')?.name ?? [])),
  };
  if (definitionWithout(before.create, written) !== definitionWithout(after.value.create, written)) return err(CHANGED);
  return ok(({ operation: { object } }) =>
    object.level === 'table' ? tableComment(after.value.create) : commentIn(after.value, object.column?.[0] ?? ''),
  );
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

function sourceOf(object: ObjectRef, columns: TableColumns, session: Session): SourceObject {
  const { server } = session;
  const [column] = object.column ?? [];
  if (object.level !== 'column' || column === undefined) return { exists: true, kind: 'table', detail: { server } };
  const detail = columns.detail(column);
  if (detail.definition === undefined) return { exists: false, detail: { server, missing: 'column' } };
  return { exists: true, kind: 'table', detail };
}

/** The quoted table of a write; the failure tells why its name cannot be quoted. */
function addressOf({ operation, write }: DescriptionWrite): string | Failure {
  const { column: _, ...table } = operation.object;
  const clause = planClause({ ...operation, object: { ...table, level: 'table' } }, undefined, write.options);
  return clause.ok ? clause.value.address : clause.error.failure;
}

function commentIn(columns: TableColumns, name: string): string {
  const column = columns.find(name);
  const comment = column === undefined ? undefined : columnComment(column.definition);
  return comment?.ok === true ? (comment.value ?? '') : '';
}

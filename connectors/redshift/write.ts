import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import type { PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import type { Transaction } from '../postgres-wire/transaction.ts';
import { failed, runPlan, sortWrites, templateResult, written } from '../postgres-wire/write-parts.ts';
import { planRedshift } from './plan.ts';
import { readObjects } from './read.ts';
import { COMMENTS_PER_TRANSACTION } from './spec.ts';
import { inTransaction } from './transaction.ts';

/**
 * Runs the writes of one database. Comments and owners are read back before their transaction commits: what did not come out as
 * planned is rolled back, so nothing half right ever stands. Throws `ConnectorError` of scope `target`; every other failure is a result.
 */
export async function writeAll(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const { comments, templates, owners } = sortWrites(writes);
  const results: WriteResult[] = [];
  for (let start = 0; start < comments.length; start += COMMENTS_PER_TRANSACTION) {
    results.push(...(await writeTogether(session, comments.slice(start, start + COMMENTS_PER_TRANSACTION))));
  }
  for (const write of templates) results.push(await writeTemplate(session, write));
  for (const write of owners) results.push(...(await writeTogether(session, [write])));
  return results;
}

/**
 * All in one transaction, or, when one fails: what stood before it in a transaction, it alone, and what stood behind it. There are no
 * savepoints here; this way a statement runs again at most once for each bad one behind it.
 */
async function writeTogether(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  if (writes.length === 0) return [];
  let at: number | undefined;
  try {
    const notes = await inTransaction(session, async (transaction) => {
      for (const [index, write] of writes.entries()) {
        at = index;
        await runPlan(transaction, write);
      }
      at = undefined;
      const sources = await readObjects(
        session,
        writes.map(({ operation }) => operation.object),
      );
      const wrong = writes.findIndex((write, index) => !stands(write, sources[index]));
      if (wrong >= 0) {
        at = wrong;
        throw notKept();
      }
      return lockOutNotes(transaction, writes);
    });
    return writes.map((write) => ({ ...written(write, 'read'), ...(notes.length === 0 ? {} : { notes }) }));
  } catch (error) {
    const failure = objectFailure(error);
    const bad = at === undefined ? undefined : writes[at];
    // No single write is to blame: the transaction itself cannot be had.
    if (bad === undefined || at === undefined) return writes.map((write) => failed(write, failure));
    return [
      ...(await writeTogether(session, writes.slice(0, at))),
      await afterFailure(session, bad, failure),
      ...(await writeTogether(session, writes.slice(at + 1))),
    ];
  }
}

function stands({ operation, plan }: PlannedWrite, source: SourceObject | undefined): boolean {
  if (source?.exists !== true) return false;
  return (operation.aspect === 'owners' ? source.owner : source.description) === plan.value;
}

function notKept(): ConnectorError {
  return new ConnectorError({
    class: 'invalid',
    scope: 'object',
    code: 'not-kept',
    message: 'The server accepted the statement, but holds another value than was written; it was rolled back.',
  });
}

async function writeTemplate(session: Session, write: PlannedWrite): Promise<WriteResult> {
  try {
    await inTransaction(session, (transaction) => runPlan(transaction, write));
    const [source] = await readObjects(session, [write.operation.object]);
    return templateResult(write, source);
  } catch (error) {
    return failed(write, objectFailure(error));
  }
}

/** The object was replaced by one of another kind since it was read: look again and plan anew, once. */
async function afterFailure(session: Session, write: PlannedWrite, failure: Failure): Promise<WriteResult> {
  if (failure.code !== '42809') return failed(write, failure);
  const [source] = await readObjects(session, [write.operation.object]);
  if (source === undefined || source.kind === write.source.kind) return failed(write, failure);
  const replanned = planRedshift(write.operation, source, write.options);
  if (!replanned.ok) return failed(write, replanned.error.failure);
  const again = { ...write, plan: replanned.value, source };
  const [result = failed(write, failure)] = await writeTogether(session, [again]);
  if (!result.ok) return result;
  const notes = [`The object is a ${source.kind} now; the statement was made anew.`];
  return { ...result, statements: again.plan.statements, notes: [...(result.notes ?? []), ...notes] };
}

/** Ownership does not come with a role or group here: whoever is neither the new owner nor a superuser has lost the object. */
async function lockOutNotes(transaction: Transaction, writes: readonly PlannedWrite[]): Promise<readonly string[]> {
  const owners = writes.flatMap(({ operation }) => (operation.aspect === 'owners' ? (operation.principal ?? []) : []));
  if (owners.length === 0) return [];
  const [row] = await transaction.ask<{ name: string; superuser: boolean }>(
    'SELECT u.usename AS name, u.usesuper AS superuser FROM pg_catalog.pg_user u WHERE u.usename = current_user',
  );
  if (row?.superuser === true || owners.every((owner) => owner === row?.name)) return [];
  return ['The new owner is not the user of this connection, which can no longer write to the object.'];
}

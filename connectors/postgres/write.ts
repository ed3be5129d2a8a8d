import type { Failure } from '../../src/domain/failure.ts';
import type { PlannedWrite, WriteResult } from '../contract.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import type { Transaction } from '../postgres-wire/transaction.ts';
import { failed, objectFailure, runPlan, sortWrites, templateResult, written } from '../postgres-wire/write-parts.ts';
import { planPostgres } from './plan.ts';
import { readObjects } from './read.ts';
import { COMMENTS_PER_TRANSACTION } from './spec.ts';
import { inTransaction } from './transaction.ts';

/**
 * Runs the writes of one database. Order: comments, many to a transaction; then templates; owners last, each alone, since they
 * lock everybody out of the object and may take our own right to comment away.
 * Throws `ConnectorError` of scope `target`; every other failure is a result.
 */
export async function writeAll(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const { comments, templates, owners } = sortWrites(writes);
  const results: WriteResult[] = [];
  for (let start = 0; start < comments.length; start += COMMENTS_PER_TRANSACTION) {
    results.push(...(await writeTogether(session, comments.slice(start, start + COMMENTS_PER_TRANSACTION))));
  }
  for (const write of [...templates, ...owners]) results.push(await writeAlone(session, write));
  return results;
}

async function writeTogether(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const [only, ...others] = writes;
  if (only !== undefined && others.length === 0) return [await writeAlone(session, only)];
  let current: PlannedWrite | undefined;
  try {
    await inTransaction(session, async (transaction) => {
      for (const write of writes) {
        current = write;
        await runPlan(transaction, write);
      }
      current = undefined;
    });
    return writes.map(committed);
  } catch (error) {
    const failure = objectFailure(error);
    if (current === undefined) return unroll(session, writes);
    // It has had its turn: to wait again for its lock would only hold up the others.
    const bad = current;
    const others = await unroll(
      session,
      writes.filter((write) => write !== bad),
    );
    return [...others, await afterFailure(session, bad, failure)];
  }
}

/**
 * After a failed batch: the rest again, with a savepoint before each write. The next bad one ends the transaction, what was good
 * until then is committed (so that no lock is held while the next bad one waits for its own), and the rest goes on after it.
 */
async function unroll(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  let rest = writes;
  while (rest.length > 0) {
    const good: PlannedWrite[] = [];
    let bad: { readonly write: PlannedWrite; readonly failure: Failure } | undefined;
    try {
      await inTransaction(session, async (transaction) => {
        for (const write of rest) {
          try {
            await transaction.attempt(() => runPlan(transaction, write));
          } catch (error) {
            bad = { write, failure: objectFailure(error) };
            return;
          }
          good.push(write);
        }
      });
      results.push(...good.map(committed));
    } catch (error) {
      const failure = objectFailure(error);
      results.push(...good.map((write) => failed(write, failure)));
      // Nothing was good and yet no single write is to blame: the transaction itself cannot be had.
      if (good.length === 0 && bad === undefined) return [...results, ...rest.map((write) => failed(write, failure))];
    }
    if (bad !== undefined) results.push(await afterFailure(session, bad.write, bad.failure));
    rest = rest.slice(good.length + (bad === undefined ? 0 : 1));
  }
  return results;
}

async function writeAlone(session: Session, write: PlannedWrite): Promise<WriteResult> {
  try {
    const notes = await inTransaction(session, async (transaction) => {
      await runPlan(transaction, write);
      return write.operation.aspect === 'owners' ? lockOutNotes(transaction, write.operation.principal) : [];
    });
    if (write.options.template !== undefined) {
      const [source] = await readObjects(session, [write.operation.object]);
      return templateResult(write, source);
    }
    return notes.length === 0 ? committed(write) : { ...committed(write), notes };
  } catch (error) {
    return afterFailure(session, write, objectFailure(error));
  }
}

/** The object was replaced by one of another kind since it was read: look again and plan anew, once. */
async function afterFailure(session: Session, write: PlannedWrite, failure: Failure): Promise<WriteResult> {
  if (failure.code !== '42809' || write.options.template !== undefined) return failed(write, failure);
  const [source] = await readObjects(session, [write.operation.object]);
  if (source === undefined || source.kind === write.source.kind) return failed(write, failure);
  const replanned = planPostgres(write.operation, source, write.options);
  if (!replanned.ok) return failed(write, replanned.error.failure);
  const again = { ...write, plan: replanned.value, source };
  try {
    await inTransaction(session, (transaction) => runPlan(transaction, again));
  } catch (error) {
    return failed(write, objectFailure(error));
  }
  const notes = [`The object is a ${source.kind} now; the statement was made anew.`];
  return { ...committed(again), statements: again.plan.statements, notes };
}

async function lockOutNotes(transaction: Transaction, principal: string | undefined): Promise<readonly string[]> {
  const [row] = await transaction.ask<{ included: boolean | null }>(
    `SELECT pg_catalog.pg_has_role(current_user, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname::text = $1), 'USAGE') AS included`,
    [principal],
  );
  if (row?.included === true) return [];
  return [
    "The new owner's role does not include the role of this connection, which can no longer write to the object.",
  ];
}

function committed(write: PlannedWrite): WriteResult & { readonly ok: true } {
  return written(write, 'commit');
}

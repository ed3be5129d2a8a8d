import type { Failure } from '../../src/domain/failure.ts';
import type { PlannedWrite, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { partFrom } from '../parts.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import { withTrace } from '../postgres-wire/trace-comment.ts';
import type { Transaction } from '../postgres-wire/transaction.ts';
import { failed, runPlan, sortWrites, templateResult, written } from '../postgres-wire/write-parts.ts';
import { planPostgres } from './plan.ts';
import { readObjects } from './read.ts';
import { COMMENTS_PER_TRANSACTION, TRANSACTION_LENGTH } from './spec.ts';
import { inTransaction, runTogether } from './transaction.ts';
import { TransactionSize } from './transaction-size.ts';

/**
 * Runs the writes of one database. Order: comments, many to a transaction; then templates; owners last, each alone, since they
 * lock everybody out of the object and may take our own right to comment away.
 * Throws `ConnectorError` of scope `target`; every other failure is a result.
 */
export async function writeAll(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
  const { comments, templates, owners } = sortWrites(writes);
  const results = [...(await writeTogether(session, comments.map(withStatement)))];
  for (const write of [...templates, ...owners]) results.push(await writeAlone(session, write));
  return results;
}

/** A comment with the one statement that writes it; the server would refuse two in one. */
interface Comment {
  readonly write: PlannedWrite;
  readonly statement: string;
}

function withStatement(write: PlannedWrite): Comment {
  return { write, statement: write.plan.statements.map((one) => withTrace(one, write.traceparent)).join('; ') };
}

const SIZES = new WeakMap<Session, TransactionSize>();

function sizeOf(session: Session): TransactionSize {
  const size = SIZES.get(session) ?? new TransactionSize(COMMENTS_PER_TRANSACTION);
  SIZES.set(session, size);
  return size;
}

/**
 * Comments of one database, in transactions as large as can be. One that fails ends its transaction: what stood before it runs again
 * without it, so that no lock is held while others wait for theirs, then what stands behind it. After a failure transactions are as
 * large as the way to it was long, twice that after each success; so the effort stays in proportion however many are bad.
 */
async function writeTogether(session: Session, comments: readonly Comment[]): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  const size = sizeOf(session);
  let most = comments.length;
  for (let done = 0; done < comments.length; ) {
    const limit = { count: Math.min(most, size.comments), size: TRANSACTION_LENGTH };
    const part = partFrom(comments, done, limit, ({ statement }) => statement.length);
    const startedAt = performance.now();
    const ran = await runTogether(
      session,
      part.map(({ statement }) => statement),
    );
    if (ran.ok) {
      size.took(part.length, performance.now() - startedAt);
      results.push(...part.map(({ write }) => committed(write)));
      done += part.length;
      most *= 2;
      continue;
    }
    // Of one alone there is no doubt which it is.
    const at = part.length === 1 ? 0 : ran.at;
    const bad = at === undefined ? undefined : part[at];
    if (at === undefined || bad === undefined) {
      most = Math.ceil(part.length / 2);
      continue;
    }
    results.push(...(await writeTogether(session, part.slice(0, at))));
    results.push(await afterFailure(session, bad.write, ran.failure));
    done += at + 1;
    most = Math.max(1, at);
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

import type { Failure } from '../../src/domain/failure.ts';
import type { ConnectorError } from '../connector-error.ts';
import { objectFailure } from '../object-failure.ts';
import type { Session } from './database-pools.ts';
import { StatementPipeline } from './statement-pipeline.ts';
import { commit, type Notice, rollBack, type TransactionRules } from './transaction.ts';

/** What became of statements that ran in one transaction. A failure undid all of them; `at` is the one to blame, where one is. */
export type Together =
  | { readonly ok: true }
  | { readonly ok: false; readonly failure: Failure; readonly at: number | undefined };

/** Commits all of the statements or none, in two round trips. None of them may give rows. Throws failures of scope `target`. */
export type RunTogether = (session: Session, statements: readonly string[]) => Promise<Together>;

/**
 * COMMIT is sent only after the answer to what stands before it: a session that was given up in between must not commit later, over
 * what another one has written since.
 */
export function togetherRunner(rules: TransactionRules): RunTogether {
  return async (session, statements) => {
    const failed = await runPipeline(rules, session, statements);
    if (failed !== undefined) {
      await rollBack(rules, session, failed.error);
      const at = failed.completed - rules.begin.length;
      return { ok: false, failure: objectFailure(failed.error), at: at < 0 ? undefined : at };
    }
    try {
      await commit(rules, session);
    } catch (error) {
      return { ok: false, failure: objectFailure(error), at: undefined };
    }
    return { ok: true };
  };
}

interface PipelineFailure {
  readonly error: ConnectorError;
  /** Statements carried out before the one to blame, those that began the transaction counted in. */
  readonly completed: number;
}

/** The first failure, be it one that the server only hints at in a notice. */
async function runPipeline(
  rules: TransactionRules,
  session: Session,
  statements: readonly string[],
): Promise<PipelineFailure | undefined> {
  const pipeline = new StatementPipeline(rules.begin, statements);
  let hinted: PipelineFailure | undefined;
  const listen = (notice: Notice) => {
    const error = rules.noticeFailure(notice);
    if (error !== undefined) hinted ??= { error, completed: pipeline.completed };
  };
  session.on('notice', listen);
  try {
    session.query(pipeline);
    await pipeline.ended;
    return hinted;
  } catch (cause) {
    const error = rules.errors.connectorErrorOf(cause, 'statement');
    return error.scope === 'object' && hinted !== undefined ? hinted : { error, completed: pipeline.completed };
  } finally {
    session.removeListener('notice', listen);
  }
}

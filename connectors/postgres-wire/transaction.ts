import { ConnectorError } from '../connector-error.ts';
import type { Session } from './database-pools.ts';
import type { ErrorReader } from './error-reader.ts';

/** Runs statements inside an open transaction; failures are `ConnectorError`s. */
export interface Transaction {
  run(statement: string): Promise<void>;
  /** The rows of a query, with bind parameters where the system takes them. */
  ask<Row extends object>(query: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** A notice of the server, as the driver hands it on. */
export interface Notice {
  readonly code?: string | undefined;
  readonly severity?: string | undefined;
}

/** What differs between the systems that speak this protocol. */
export interface TransactionRules {
  /** Begin a transaction and pin what the literals and limits of its statements depend on. */
  readonly begin: readonly string[];
  /** The failure that a notice means: what the server only hints at although it did not do what was asked. */
  noticeFailure(notice: Notice): ConnectorError | undefined;
  readonly errors: ErrorReader;
}

/** Commits what the work did, or nothing of it. A failure of scope `target` leaves open whether a commit under way took place. */
export type InTransaction = <T>(session: Session, work: (transaction: Transaction) => Promise<T>) => Promise<T>;

export function transactionRunner(rules: TransactionRules): InTransaction {
  return async (session, work) => {
    let value: Awaited<ReturnType<typeof work>>;
    try {
      // A message of its own: the mode in which strings are read holds from the next message on.
      await send(rules, session, rules.begin.join('; '));
      value = await work(transactionOn(rules, session));
    } catch (error) {
      await rollBack(rules, session, error);
      throw error;
    }
    await commit(rules, session);
    return value;
  };
}

/** Throws when the server did anything but commit. */
export async function commit(rules: TransactionRules, session: Session): Promise<void> {
  // A transaction that had failed unnoticed would be rolled back by COMMIT, without an error.
  if ((await send(rules, session, 'COMMIT')) === 'COMMIT') return;
  const message = 'The server rolled the transaction back instead of committing it.';
  throw new ConnectorError({ class: 'transient', scope: 'object', code: 'not-committed', message });
}

/** Undoes the transaction that this error ended. */
export async function rollBack(rules: TransactionRules, session: Session, error: unknown): Promise<void> {
  // After a failure of the whole target the session is thrown away, and its transaction with it; it may answer no more.
  if (error instanceof ConnectorError && error.scope === 'target') return;
  // When even this fails the connection is gone, which is the graver news.
  await send(rules, session, 'ROLLBACK');
}

function transactionOn(rules: TransactionRules, session: Session): Transaction {
  return {
    run: (statement) => runWatched(rules, session, statement),
    ask: async <Row extends object>(query: string, values?: readonly unknown[]) => {
      try {
        return (await session.query<Row>(query, values === undefined ? undefined : [...values])).rows;
      } catch (error) {
        throw rules.errors.connectorErrorOf(error, 'statement');
      }
    },
  };
}

/** The command tag of the (last) statement. */
async function send(rules: TransactionRules, session: Session, statement: string): Promise<string> {
  try {
    return (await session.query(statement)).command;
  } catch (error) {
    throw rules.errors.connectorErrorOf(error, 'statement');
  }
}

async function runWatched(rules: TransactionRules, session: Session, statement: string): Promise<void> {
  const notices: Notice[] = [];
  const listen = (notice: Notice) => notices.push(notice);
  session.on('notice', listen);
  try {
    await send(rules, session, statement);
  } finally {
    session.removeListener('notice', listen);
  }
  for (const notice of notices) {
    const failure = rules.noticeFailure(notice);
    if (failure !== undefined) throw failure;
  }
}

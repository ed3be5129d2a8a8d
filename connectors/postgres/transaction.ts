import { ConnectorError } from '../connector-error.ts';
import type { Session } from './database-pools.ts';
import { connectorErrorOf } from './errors.ts';

/**
 * What every writing transaction starts with. Timeouts: nobody waits long behind us, nor we behind others. Literals in templates
 * are escaped for conforming strings. Notices are how the server reports what it silently did otherwise.
 * A message of its own: the mode in which strings are read holds from the next message on.
 */
const BEGIN = [
  'BEGIN',
  "SET LOCAL statement_timeout = '30s'",
  "SET LOCAL lock_timeout = '3s'",
  "SET LOCAL idle_in_transaction_session_timeout = '60s'",
  'SET LOCAL standard_conforming_strings = on',
  'SET LOCAL client_min_messages = notice',
].join('; ');

/** Runs statements inside an open transaction; failures are `ConnectorError`s. */
export interface Transaction {
  run(statement: string): Promise<void>;
  /** The rows of a query, with bind parameters. */
  ask<Row extends object>(query: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** What the work did is undone alone when it fails. */
  attempt(work: () => Promise<void>): Promise<void>;
}

/** Commits what the work did, or nothing of it. A failure of scope `target` leaves open whether a commit under way took place. */
export async function inTransaction<T>(session: Session, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let value: T;
  try {
    await send(session, BEGIN);
    value = await work(transactionOn(session));
  } catch (error) {
    // When even this fails the connection is gone, which is the graver news.
    await send(session, 'ROLLBACK');
    throw error;
  }
  // A transaction that had failed unnoticed would be rolled back by COMMIT, without an error.
  if ((await send(session, 'COMMIT')) !== 'COMMIT') {
    const message = 'The server rolled the transaction back instead of committing it.';
    throw new ConnectorError({ class: 'transient', scope: 'object', code: 'not-committed', message });
  }
  return value;
}

function transactionOn(session: Session): Transaction {
  return {
    run: (statement) => runWatched(session, statement),
    ask: async <Row extends object>(query: string, values: readonly unknown[]) => {
      try {
        return (await session.query<Row>(query, [...values])).rows;
      } catch (error) {
        throw connectorErrorOf(error, 'statement');
      }
    },
    attempt: async (work) => {
      await send(session, 'SAVEPOINT item');
      try {
        await work();
      } catch (error) {
        await send(session, 'ROLLBACK TO SAVEPOINT item');
        throw error;
      }
      await send(session, 'RELEASE SAVEPOINT item');
    },
  };
}

/** The command tag of the (last) statement. */
async function send(session: Session, statement: string): Promise<string> {
  try {
    return (await session.query(statement)).command;
  } catch (error) {
    throw connectorErrorOf(error, 'statement');
  }
}

/** What PostgreSQL only hints at although it did not do what was asked: the database is not there, or a name was cut. */
const TREACHEROUS_NOTICES: ReadonlyMap<string, string> = new Map([
  ['3D000', 'The database does not exist; the server passed over the statement with no more than a warning.'],
  ['42622', 'A name has more than 63 bytes; the server would have cut it and written to another object.'],
]);

async function runWatched(session: Session, statement: string): Promise<void> {
  const codes: string[] = [];
  const listen = (notice: { readonly code?: string | undefined }) => codes.push(notice.code ?? '');
  session.on('notice', listen);
  try {
    await send(session, statement);
  } finally {
    session.removeListener('notice', listen);
  }
  for (const code of codes) {
    const message = TREACHEROUS_NOTICES.get(code);
    if (message === undefined) continue;
    throw new ConnectorError({ class: code === '3D000' ? 'not_found' : 'invalid', scope: 'object', code, message });
  }
}

import { ConnectorError } from '../connector-error.ts';
import { togetherRunner } from '../postgres-wire/together.ts';
import { type TransactionRules, transactionRunner } from '../postgres-wire/transaction.ts';
import { postgresErrors } from './errors.ts';

/**
 * What every writing transaction starts with. Timeouts: nobody waits long behind us, nor we behind others. Literals in templates
 * are escaped for conforming strings. Notices are how the server reports what it silently did otherwise.
 */
const BEGIN = [
  'BEGIN',
  "SET LOCAL statement_timeout = '30s'",
  "SET LOCAL lock_timeout = '3s'",
  "SET LOCAL idle_in_transaction_session_timeout = '60s'",
  'SET LOCAL standard_conforming_strings = on',
  'SET LOCAL client_min_messages = notice',
];

/** What PostgreSQL only hints at although it did not do what was asked: the database is not there, or a name was cut. */
const TREACHEROUS_NOTICES: ReadonlyMap<string, string> = new Map([
  ['3D000', 'The database does not exist; the server passed over the statement with no more than a warning.'],
  ['42622', 'A name has more than 63 bytes; the server would have cut it and written to another object.'],
]);

const RULES: TransactionRules = {
  begin: BEGIN,
  errors: postgresErrors,
  noticeFailure({ code = '' }) {
    const message = TREACHEROUS_NOTICES.get(code);
    if (message === undefined) return undefined;
    return new ConnectorError({ class: code === '3D000' ? 'not_found' : 'invalid', scope: 'object', code, message });
  },
};

export const inTransaction = transactionRunner(RULES);
export const runTogether = togetherRunner(RULES);

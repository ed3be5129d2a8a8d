import { ConnectorError } from '../connector-error.ts';
import { transactionRunner } from '../postgres-wire/transaction.ts';
import { redshiftErrors } from './errors.ts';

/** What Redshift only warns of although it did not do what was asked. */
const TREACHEROUS_NOTICES: ReadonlyMap<string, string> = new Map([
  ['3D000', 'The database does not exist; the server passed over the statement with no more than a warning.'],
  [
    '0A000',
    'The server passed over the statement with no more than a warning: it comments on the connected database only.',
  ],
  ['42622', 'A name has more than 127 bytes; the server would have cut it and written to another object.'],
]);

/** The session's limits were set when it was opened (`session.ts`): a plain BEGIN is enough, and SET LOCAL knows less here. */
export const inTransaction = transactionRunner({
  begin: ['BEGIN'],
  errors: redshiftErrors,
  noticeFailure({ code = '' }) {
    const message = TREACHEROUS_NOTICES.get(code);
    if (message === undefined) return undefined;
    return new ConnectorError({ class: code === '3D000' ? 'not_found' : 'invalid', scope: 'object', code, message });
  },
});

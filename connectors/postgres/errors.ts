import { type ErrorFields, errorReader } from '../postgres-wire/error-reader.ts';
import { COMMON_STATES, meaning, type StateTable } from '../postgres-wire/sql-states.ts';

const STATES: StateTable = {
  ...COMMON_STATES,
  '25006': meaning(
    'transient',
    'target',
    'The server is read-only: it is a standby, or default_transaction_read_only is on. Connect to the primary.',
  ),
  '28': meaning('auth', 'target', 'The server refused the login. Check user name, password and pg_hba.conf.'),
  '42622': meaning('invalid', 'object', 'A name has more than 63 bytes; the server would have cut it.'),
  '55P03': meaning('transient', 'object', 'The object was locked by another session for longer than the lock timeout.'),
};

export const postgresErrors = errorReader({
  states: STATES,
  missingPrivilege,
  refine(failure, { message }) {
    // Two sessions changed the same catalog row; there is no SQLSTATE of its own for it.
    const collided = failure.code === 'XX000' && message.startsWith('tuple concurrently');
    if (!collided) return failure;
    return { ...failure, class: 'conflict', message: 'Another session changed the object meanwhile.' };
  },
});

export const { failureOf, connectorErrorOf } = postgresErrors;

/** The server has one code for three things that need different repairs; its routine and words tell them apart. */
function missingPrivilege({ routine, message }: ErrorFields): string {
  if (routine === 'check_can_set_role' || message.includes('SET ROLE')) {
    return 'It cannot SET ROLE to the new owner: GRANT the new owner to it.';
  }
  if (message.startsWith('must be owner')) return 'Comments and owners need ownership: GRANT the owning role to it.';
  if (message.startsWith('permission denied for schema')) {
    return 'It needs USAGE on the schema, and a new owner needs CREATE on it.';
  }
  if (message.startsWith('permission denied for database')) {
    return 'It needs CONNECT on the database, and the new owner of a schema needs CREATE on it.';
  }
  if (message.startsWith('permission denied to change owner')) return 'ALTER DATABASE … OWNER needs CREATEDB.';
  return 'Run the check for the exact GRANT.';
}

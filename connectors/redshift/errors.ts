import { type ErrorFields, errorReader } from '../postgres-wire/error-reader.ts';
import { COMMON_STATES, meaning, type StateTable } from '../postgres-wire/sql-states.ts';

const STATES: StateTable = {
  ...COMMON_STATES,
  '25006': meaning(
    'transient',
    'target',
    'The cluster is read-only (it is being resized, or read_only is set for the user).',
  ),
  '28': meaning('auth', 'target', 'The cluster refused the login. Check user name, password or IAM rights.'),
  '42501': meaning('permission', 'object', 'The user that Backflow uses lacks a privilege.'),
  '42622': meaning('invalid', 'object', 'A name has more than 127 bytes; the server would have cut it.'),
  '42704': meaning('not_found', 'object', 'The object or user does not exist.'),
};

/** Redshift's own words for a transaction that another one overtook; the SQLSTATE alone (XX000) does not tell. */
const SERIALIZABLE = /\b1023\b|serializable isolation|concurrent transaction|tuple concurrently/i;

export const redshiftErrors = errorReader({
  states: STATES,
  missingPrivilege,
  refine(failure, { message }) {
    if (!failure.code.startsWith('XX') || !SERIALIZABLE.test(message)) return failure;
    return {
      ...failure,
      class: 'conflict',
      message: 'Another transaction changed the same rows meanwhile (serializable isolation).',
    };
  },
});

function missingPrivilege({ message }: ErrorFields): string {
  if (message.startsWith('permission denied for schema')) return 'It needs USAGE on the schema: GRANT it.';
  if (message.startsWith('permission denied for database')) return 'GRANT it the right on the database.';
  return 'Comments and owners can be changed only by the owner of the object or by a superuser; run the check.';
}

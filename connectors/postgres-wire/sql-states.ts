import type { FailureClass, FailureScope } from '../../src/domain/failure.ts';

/** What an error code means to us. */
export interface StateMeaning {
  readonly class: FailureClass;
  readonly scope: FailureScope;
  readonly message: string;
}

export const meaning = (failureClass: FailureClass, scope: FailureScope, message: string): StateMeaning => ({
  class: failureClass,
  scope,
  message,
});

/** By SQLSTATE, or by its first two characters. The longer one wins. */
export type StateTable = Readonly<Record<string, StateMeaning>>;

/** What PostgreSQL and its descendants share (PostgreSQL manual, appendix "Error Codes"). */
export const COMMON_STATES: StateTable = {
  '08': meaning('transient', 'target', 'The connection failed.'),
  '08P01': meaning('invalid', 'object', 'The server could not read the message (protocol violation).'),
  '0A': meaning('unsupported', 'object', 'This server does not support the statement.'),
  '22': meaning('invalid', 'object', 'A value does not fit.'),
  '22021': meaning('invalid', 'object', "The text holds a character that the server's encoding does not know."),
  '22P05': meaning('invalid', 'object', "The text holds a character that the server's encoding does not know."),
  '28': meaning('auth', 'target', 'The server refused the login. Check user name and password.'),
  '3D000': meaning('not_found', 'object', 'The database does not exist.'),
  '3F000': meaning('not_found', 'object', 'The schema does not exist.'),
  '40': meaning('conflict', 'object', 'The transaction was rolled back because of another one.'),
  '40P01': meaning('transient', 'object', 'Deadlock with another session.'),
  '42': meaning('invalid', 'object', 'The server did not accept the statement.'),
  '42501': meaning('permission', 'object', 'The role that Backflow uses lacks a privilege.'),
  '42601': meaning('invalid', 'object', 'The statement has a syntax error.'),
  '42703': meaning('not_found', 'object', 'The column does not exist.'),
  '42704': meaning('not_found', 'object', 'The object or role does not exist.'),
  '42809': meaning('invalid', 'object', 'The object is of another kind than the statement says.'),
  '42939': meaning('invalid', 'object', 'The name is reserved.'),
  '42P01': meaning('not_found', 'object', 'The table or view does not exist.'),
  '53': meaning('transient', 'target', 'The server is short of a resource (memory, disk).'),
  '53300': meaning('throttled', 'target', 'The server has no free connection.'),
  '55': meaning('transient', 'object', 'The object is in use.'),
  '57': meaning('transient', 'target', 'The server ended the session (shutdown, restart or an administrator).'),
  '57014': meaning('transient', 'object', 'The statement ran into its timeout or was cancelled.'),
  '58': meaning('transient', 'target', 'The server has trouble with its system or files.'),
  P0: meaning('invalid', 'object', 'A function or event trigger in the database refused the statement.'),
  XX: meaning('transient', 'object', 'The server reported an internal error.'),
};

/** The failure that a code stands for; a code that nobody knows concerns the statement alone. */
export function stateMeaning(table: StateTable, code: string): StateMeaning {
  return table[code] ?? table[code.slice(0, 2)] ?? meaning('invalid', 'object', 'The server refused the statement.');
}

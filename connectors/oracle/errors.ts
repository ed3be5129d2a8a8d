import type { Failure, FailureScope } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { entry, type FailureEntry } from '../failure-entry.ts';

const LOST = entry('transient', 'target', 'The connection was lost.');
const UNREACHABLE = entry('transient', 'target', 'The server cannot be reached.');
const STARTING = entry('transient', 'target', 'The database is starting, stopping or not open yet.');
const NOT_REGISTERED = entry(
  'transient',
  'target',
  'The listener does not know this service or SID (now): the database is down, or the name is wrong.',
);
const FULL = entry('throttled', 'target', 'The database has no room for another session of this user.');
const LOGIN = entry('auth', 'target', 'The server refused the login. Check user name and password.');
const PASSWORD = entry('auth', 'target', 'The account is locked, or its password has expired or must be changed.');
const ADDRESS = entry(
  'auth',
  'target',
  'The address cannot be read or found. Check hostPort, oracleConnectionType, configDir and tnsnames.ora.',
);
const TLS = entry(
  'auth',
  'target',
  'TLS could not be set up. Check the wallet and the certificates of the connection.',
);
const READ_ONLY = entry(
  'transient',
  'target',
  'The database is read-only: a standby, or opened for reading. Connect to the primary.',
);
const PRIVILEGE = entry('permission', 'object', 'The user lacks a privilege. Run the check for the exact GRANT.');
const NO_TABLE = entry('not_found', 'object', 'The table or view does not exist, or the user may not see it.');
const NO_COLUMN = entry('not_found', 'object', 'The column does not exist.');
const SYNTAX = entry('invalid', 'object', 'The server did not understand the statement.');
const BUSY = entry('transient', 'object', 'The object was in use for longer than the lock timeout.');
const TIMED_OUT = entry('transient', 'object', 'The statement ran into its time limit or was interrupted.');
const KIND = entry('conflict', 'object', 'The object is of another kind now than when it was read.');
const RESOURCES = entry('transient', 'target', 'The server is short of a resource (memory, disk, processes).');
const ANNOTATION = entry('invalid', 'object', 'The server does not take the annotation.');
const CHANGED = entry('conflict', 'object', 'The object was changed by another session meanwhile.');
const SETTINGS = entry(
  'auth',
  'target',
  'The server demands what is not supported (native network encryption or an old version).',
);

/** By the number of an `ORA-` error. Source: the vendor's error help. */
const BY_ORA: Readonly<Record<number, FailureEntry>> = {
  18: FULL,
  20: FULL,
  28: LOST, // "your session has been killed"
  31: LOST,
  54: BUSY,
  60: entry('transient', 'object', 'Deadlock with another session.'),
  600: entry('transient', 'object', 'The server reported an internal error.'),
  604: entry('transient', 'object', 'A statement that the server ran by itself failed (a trigger, the dictionary).'),
  900: SYNTAX,
  904: NO_COLUMN,
  911: SYNTAX,
  942: NO_TABLE,
  955: CHANGED,
  957: SYNTAX,
  972: entry('invalid', 'object', 'A name is longer than the server allows.'),
  1012: LOST,
  1013: TIMED_OUT,
  1017: LOGIN,
  1027: SYNTAX,
  1031: PRIVILEGE,
  1033: STARTING,
  1034: STARTING,
  1035: entry('auth', 'target', 'The database is open only to users with RESTRICTED SESSION.'),
  1041: LOST,
  1045: entry('auth', 'target', 'The user may not log in. GRANT CREATE SESSION to it.'),
  1089: STARTING,
  1090: STARTING,
  1092: STARTING,
  1109: STARTING,
  1435: entry('not_found', 'object', 'The schema does not exist.'),
  1536: RESOURCES,
  1552: READ_ONLY,
  1653: RESOURCES,
  1654: RESOURCES,
  1704: entry('invalid', 'object', 'The text is longer than 4,000 bytes.'),
  1741: SYNTAX,
  1756: SYNTAX,
  1780: SYNTAX,
  1918: entry('not_found', 'object', 'The schema does not exist.'),
  2002: RESOURCES,
  2248: SYNTAX,
  2391: FULL,
  2396: LOST,
  2399: LOST,
  3113: LOST,
  3114: LOST,
  3135: LOST,
  4020: BUSY,
  4021: BUSY,
  4031: RESOURCES,
  4036: RESOURCES,
  4043: entry('not_found', 'object', 'The object does not exist.'),
  4068: CHANGED,
  8103: CHANGED,
  11545: ANNOTATION,
  11546: ANNOTATION,
  11547: ANNOTATION,
  11548: ANNOTATION,
  11549: ANNOTATION,
  11552: CHANGED,
  11553: CHANGED,
  11560: CHANGED,
  11561: CHANGED,
  11562: ANNOTATION,
  11602: ANNOTATION,
  12003: KIND,
  12098: KIND,
  12150: LOST,
  12154: ADDRESS,
  12170: UNREACHABLE,
  12203: UNREACHABLE,
  12502: NOT_REGISTERED,
  12504: ADDRESS,
  12505: NOT_REGISTERED,
  12514: NOT_REGISTERED,
  12516: FULL,
  12518: FULL,
  12519: FULL,
  12520: FULL,
  12521: NOT_REGISTERED,
  12526: STARTING,
  12527: STARTING,
  12528: STARTING,
  12529: STARTING,
  12535: UNREACHABLE,
  12537: LOST,
  12541: UNREACHABLE,
  12543: UNREACHABLE,
  12545: UNREACHABLE,
  12547: LOST,
  12560: LOST,
  12570: LOST,
  12571: LOST,
  12757: STARTING,
  12805: LOST,
  12899: entry('invalid', 'object', 'The text is too long for where the server keeps it.'),
  14450: BUSY,
  16000: READ_ONLY,
  16403: STARTING,
  16456: STARTING,
  25408: LOST,
  28000: PASSWORD,
  28001: PASSWORD,
  28002: PASSWORD,
  28003: PASSWORD,
  28009: LOGIN,
  28030: LOGIN,
  28040: SETTINGS,
  28759: TLS,
  28860: TLS,
  30006: BUSY,
  38802: entry('not_found', 'object', 'The edition does not exist.'),
  39165: entry('not_found', 'object', 'The schema does not exist.'),
  41900: PRIVILEGE,
  44751: STARTING,
};

/** By the code of an error of the driver itself. */
const BY_NJS: Readonly<Record<string, FailureEntry>> = {
  'NJS-003': LOST,
  'NJS-040': FULL,
  'NJS-116': SETTINGS, // password verifier of an old version
  'NJS-123': TIMED_OUT,
  'NJS-125': ADDRESS,
  'NJS-138': SETTINGS,
  'NJS-500': LOST,
  'NJS-501': LOST,
  'NJS-503': UNREACHABLE,
  'NJS-504': UNREACHABLE,
  'NJS-505': TLS,
  'NJS-506': TLS,
  'NJS-507': TLS,
  'NJS-508': TLS,
  'NJS-509': LOST,
  'NJS-510': UNREACHABLE,
  'NJS-511': UNREACHABLE,
  'NJS-512': ADDRESS,
  'NJS-513': LOST,
  'NJS-514': ADDRESS,
  'NJS-515': ADDRESS,
  'NJS-516': ADDRESS,
  'NJS-517': ADDRESS,
  'NJS-518': NOT_REGISTERED,
  'NJS-519': NOT_REGISTERED,
  'NJS-520': ADDRESS,
  'NJS-521': LOST,
  'NJS-522': ADDRESS,
  'NJS-529': TLS,
  'NJS-530': UNREACHABLE,
  'NJS-531': SETTINGS,
  'NJS-532': SETTINGS,
  'NJS-533': SETTINGS,
  'NJS-536': UNREACHABLE,
};

/** When it happened: an error that concerns one object while a statement runs concerns the whole target while connecting. */
export type Phase = 'connect' | 'statement';

/**
 * Turns whatever the driver threw into a failure. The server's own message is not passed on: it quotes names and pieces of statements.
 */
export function failureOf(error: unknown, phase: Phase): Failure {
  if (error instanceof ConnectorError) return error.failure;
  const { code, message, number } = fieldsOf(error);
  const scope = (own: FailureScope): FailureScope => (phase === 'connect' ? 'target' : own);
  const driver = BY_NJS[code];
  // The driver wraps what the listener or the server said; their number tells more.
  const inner = driver === undefined ? undefined : innerEntry(code, message);
  if (inner !== undefined) return { ...inner, scope: scope(inner.scope) };
  if (driver !== undefined) return { ...driver, scope: scope(driver.scope), code };
  const known = number === undefined ? undefined : BY_ORA[number];
  if (known !== undefined) return { ...known, scope: scope(known.scope), code };
  if (number !== undefined && number >= 900 && number <= 999) return { ...SYNTAX, scope: scope('object'), code };
  if (number !== undefined) {
    return { class: 'invalid', scope: scope('object'), code, message: 'The server refused the statement.' };
  }
  if (/^E[A-Z]{3,}$/.test(code)) return { ...UNREACHABLE, code };
  return {
    class: 'transient',
    scope: scope('object'),
    code: code === '' ? 'unexpected' : code,
    message: `The driver failed in an unexpected way (${error instanceof Error ? error.name : typeof error}).`,
  };
}

/** The error to throw for it. It has no cause: the driver's messages hold names and addresses, and its errors hold more. */
export function connectorErrorOf(error: unknown, phase: Phase): ConnectorError {
  return error instanceof ConnectorError ? error : new ConnectorError(failureOf(error, phase));
}

/** `NJS-511: … refused. Cause: ORA-12526`. A connection that is gone stays gone, whatever the number says. */
function innerEntry(code: string, message: string): (FailureEntry & { readonly code: string }) | undefined {
  if (code !== 'NJS-511' && code !== 'NJS-513') return undefined;
  const found = /ORA-(\d{5})/.exec(message)?.[1];
  const entry = found === undefined ? undefined : BY_ORA[Number(found)];
  return entry === undefined || entry.scope === 'object' ? undefined : { ...entry, code: `ORA-${found}` };
}

interface ErrorFields {
  readonly code: string;
  readonly message: string;
  readonly number: number | undefined;
}

function fieldsOf(error: unknown): ErrorFields {
  const record: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  const message = error instanceof Error ? error.message : '';
  const stated = typeof record.code === 'string' ? record.code : '';
  const code = /^(?:ORA|NJS)-\d+$/.test(stated) ? stated : (/^((?:ORA|NJS)-\d+):/.exec(message)?.[1] ?? stated);
  const ora = /^ORA-(\d+)$/.exec(code)?.[1];
  return { code, message, number: ora === undefined ? undefined : Number(ora) };
}

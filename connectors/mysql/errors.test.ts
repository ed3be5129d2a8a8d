import { describe, expect, it } from 'vitest';
import { connectorErrorOf, failureOf } from './errors.ts';

const server = (errno: number, message = "secret 'text' of the catalogue", code = 'ER_X') =>
  Object.assign(new Error(message), { errno, code, sqlState: 'HY000', sql: 'ALTER TABLE secret' });
const network = (code: string) => Object.assign(new Error('connect'), { code, errno: -111 });

describe('failureOf', () => {
  it.each([
    [server(1205), 'statement', 'transient', 'object', '1205'],
    [server(1213), 'statement', 'transient', 'object', '1213'],
    [server(1969), 'statement', 'transient', 'object', '1969'],
    [server(1142), 'statement', 'permission', 'object', '1142'],
    [server(1044), 'statement', 'permission', 'object', '1044'],
    [server(1044), 'connect', 'auth', 'target', '1044'],
    [server(1045), 'connect', 'auth', 'target', '1045'],
    [server(1698), 'connect', 'auth', 'target', '1698'],
    [server(1040), 'connect', 'throttled', 'target', '1040'],
    [server(1146), 'statement', 'not_found', 'object', '1146'],
    [server(1064), 'statement', 'invalid', 'object', '1064'],
    [server(1845), 'statement', 'unsupported', 'object', '1845'],
    [server(1846), 'statement', 'unsupported', 'object', '1846'],
    [server(1347), 'statement', 'unsupported', 'object', '1347'],
    [server(1290, 'running with the --read-only option'), 'statement', 'transient', 'target', '1290'],
    [server(1290, 'running with the --skip-grant-tables option'), 'statement', 'unsupported', 'object', '1290'],
    [server(1836), 'statement', 'transient', 'target', '1836'],
    [server(1927), 'statement', 'transient', 'target', '1927'],
    [server(9999), 'statement', 'invalid', 'object', '9999'],
    [network('ECONNREFUSED'), 'connect', 'transient', 'target', 'ECONNREFUSED'],
    [network('ETIMEDOUT'), 'connect', 'transient', 'target', 'ETIMEDOUT'],
    [
      Object.assign(new Error('x'), { code: 'PROTOCOL_CONNECTION_LOST' }),
      'statement',
      'transient',
      'target',
      'PROTOCOL_CONNECTION_LOST',
    ],
    [
      new Error("Can't add new command when connection is in closed state"),
      'statement',
      'transient',
      'target',
      'connection-lost',
    ],
    [
      Object.assign(new Error('x'), { code: 'HANDSHAKE_NO_SSL_SUPPORT' }),
      'connect',
      'auth',
      'target',
      'HANDSHAKE_NO_SSL_SUPPORT',
    ],
    ['thrown text', 'statement', 'transient', 'object', 'unexpected'],
  ] as const)('%s while in %s', (error, phase, failureClass, scope, code) => {
    expect(failureOf(error, phase)).toMatchObject({ class: failureClass, scope, code });
  });

  it('passes on neither the words of the server nor the statement', () => {
    const error = connectorErrorOf(server(1064), 'statement');
    expect(JSON.stringify([error, error.message, error.cause ?? null, error.failure])).not.toContain('secret');
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { connectorErrorOf, failureOf } from './errors.ts';

function fromServer(code: string, more: Record<string, unknown> = {}): Error {
  const { message = 'relation "secret_name" does not exist', ...rest } = more;
  return Object.assign(new Error(String(message)), { code, severity: 'ERROR', ...rest });
}

describe('errors of PostgreSQL', () => {
  it.each([
    ['08006', 'transient', 'target'],
    ['08P01', 'invalid', 'object'],
    ['0A000', 'unsupported', 'object'],
    ['22021', 'invalid', 'object'],
    ['25006', 'transient', 'target'],
    ['28P01', 'auth', 'target'],
    ['28000', 'auth', 'target'],
    ['3F000', 'not_found', 'object'],
    ['40001', 'conflict', 'object'],
    ['40P01', 'transient', 'object'],
    ['42501', 'permission', 'object'],
    ['42601', 'invalid', 'object'],
    ['42703', 'not_found', 'object'],
    ['42704', 'not_found', 'object'],
    ['42809', 'invalid', 'object'],
    ['42P01', 'not_found', 'object'],
    ['53200', 'transient', 'target'],
    ['53300', 'throttled', 'target'],
    ['55P03', 'transient', 'object'],
    ['57014', 'transient', 'object'],
    ['57P01', 'transient', 'target'],
    ['P0001', 'invalid', 'object'],
    ['XX000', 'transient', 'object'],
    ['ZZ999', 'invalid', 'object'],
  ])('SQLSTATE %s of a statement is %s for the %s', (code, failureClass, scope) => {
    expect(failureOf(fromServer(code), 'statement')).toMatchObject({ code, class: failureClass, scope });
  });

  it('knows a collision in the catalog by its words', () => {
    const error = fromServer('XX000', { message: 'tuple concurrently updated' });
    expect(failureOf(error, 'statement')).toMatchObject({ class: 'conflict', scope: 'object' });
  });

  it('holds the target for a missing database only when it is the configured one', () => {
    const error = fromServer('3D000', { severity: 'FATAL' });
    expect(failureOf(error, 'connect')).toMatchObject({ class: 'not_found', scope: 'target' });
    expect(failureOf(error, 'connect-other-database')).toMatchObject({ class: 'not_found', scope: 'object' });
    expect(failureOf(fromServer('28P01'), 'connect-other-database')).toMatchObject({ class: 'auth', scope: 'target' });
    expect(failureOf(fromServer('42501'), 'connect')).toMatchObject({ class: 'permission', scope: 'target' });
  });

  it.each([
    [{ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED', 'ECONNREFUSED', 'transient'],
    [{ code: 'ENOTFOUND' }, 'getaddrinfo', 'ENOTFOUND', 'transient'],
    [{}, 'Connection terminated unexpectedly', 'connection-lost', 'transient'],
    [{}, 'Client has encountered a connection error and is not queryable', 'connection-lost', 'transient'],
    [{}, 'Query read timeout', 'no-answer', 'transient'],
    [{}, 'timeout exceeded when trying to connect', 'no-answer', 'transient'],
    [{}, 'The server does not support SSL connections', 'tls-refused', 'auth'],
    [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'x', 'SELF_SIGNED_CERT_IN_CHAIN', 'auth'],
    [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'x', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'auth'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'x', 'ERR_TLS_CERT_ALTNAME_INVALID', 'auth'],
    [{}, 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'password-missing', 'auth'],
  ])('%j %j of the driver is %s, %s for the target', (fields, message, code, failureClass) => {
    const error = Object.assign(new Error(message), fields);
    expect(failureOf(error, 'statement')).toMatchObject({ code, class: failureClass, scope: 'target' });
  });

  it('bounds what it does not know: an object while a statement runs, the target while connecting', () => {
    expect(failureOf(new TypeError('x'), 'statement')).toMatchObject({ class: 'transient', scope: 'object' });
    expect(failureOf('odd', 'connect')).toMatchObject({ class: 'transient', scope: 'target' });
  });

  it('passes on the place of a syntax error, but nothing that the server quotes', () => {
    const error = fromServer('42601', {
      message: 'syntax error at or near "secret"',
      position: '17',
      detail: 'secret detail',
      hint: 'secret hint',
      internalQuery: 'secret query',
    });
    const thrown = connectorErrorOf(error, 'statement');
    expect(thrown.message).toBe('The statement has a syntax error. (at character 17)');
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('secret');
  });

  it('tells apart what 42501 stands for', () => {
    const message = (words: string, routine = '') =>
      failureOf(fromServer('42501', { message: words, routine }), 'statement').message;
    expect(message('must be owner of table x')).toContain('ownership');
    expect(message('must be able to SET ROLE "x"')).toContain('SET ROLE');
    expect(message('übersetzt', 'check_can_set_role')).toContain('SET ROLE');
    expect(message('permission denied for schema x')).toContain('USAGE');
    expect(message('permission denied for database x')).toContain('CONNECT');
    expect(message('permission denied to change owner of database')).toContain('CREATEDB');
  });
});

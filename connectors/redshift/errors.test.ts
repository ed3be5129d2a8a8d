import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { redshiftErrors } from './errors.ts';

function fromServer(code: string, message = 'relation "secret_name" does not exist'): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR', detail: 'secret detail' });
}

const { failureOf, connectorErrorOf } = redshiftErrors;

describe('errors of Redshift', () => {
  it.each([
    ['0A000', 'unsupported', 'object'],
    ['25006', 'transient', 'target'],
    ['28000', 'auth', 'target'],
    ['28P01', 'auth', 'target'],
    ['3F000', 'not_found', 'object'],
    ['40001', 'conflict', 'object'],
    ['42501', 'permission', 'object'],
    ['42601', 'invalid', 'object'],
    ['42703', 'not_found', 'object'],
    ['42704', 'not_found', 'object'],
    ['42809', 'invalid', 'object'],
    ['42P01', 'not_found', 'object'],
    ['53300', 'throttled', 'target'],
    ['57014', 'transient', 'object'],
    ['57P01', 'transient', 'target'],
    ['XX000', 'transient', 'object'],
    ['ZZ999', 'invalid', 'object'],
  ])('SQLSTATE %s of a statement is %s for the %s', (code, failureClass, scope) => {
    expect(failureOf(fromServer(code), 'statement')).toMatchObject({ code, class: failureClass, scope });
  });

  it.each([
    '1023',
    'Serializable isolation violation on table - 100, transactions forming the cycle are: 1, 2',
    'could not complete because of conflict with concurrent transaction',
  ])('knows a transaction that was overtaken by the words %j', (message) => {
    expect(failureOf(fromServer('XX000', message), 'statement')).toMatchObject({ class: 'conflict', scope: 'object' });
  });

  it('does not take a number inside another for 1023', () => {
    expect(failureOf(fromServer('XX000', 'block 110234 is broken'), 'statement')).toMatchObject({ class: 'transient' });
  });

  it('passes on nothing that the server quotes', () => {
    const thrown = connectorErrorOf(fromServer('42501', 'must be owner of relation secret_name'), 'statement');
    expect(thrown.message).toContain('superuser');
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('secret');
  });

  it('tells apart what 42501 stands for', () => {
    const message = (words: string) => failureOf(fromServer('42501', words), 'statement').message;
    expect(message('permission denied for schema x')).toContain('USAGE');
    expect(message('permission denied for database x')).toContain('on the database');
    expect(message('must be owner of relation x')).toContain('owner of the object or by a superuser');
  });

  it('holds the target for what happens while connecting', () => {
    expect(failureOf(fromServer('42704'), 'connect')).toMatchObject({ class: 'not_found', scope: 'target' });
    expect(failureOf(fromServer('3D000'), 'connect-other-database')).toMatchObject({ scope: 'object' });
  });
});

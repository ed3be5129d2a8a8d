import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { httpError, networkError, queryError } from './errors.ts';

const SECRET = "secret 'text' of the catalogue";
const failureOf = (errorName: string, errorType: string, failureType?: string) =>
  queryError(
    { message: SECRET, errorName, errorType, ...(failureType === undefined ? {} : { failureType }) },
    'statement',
  ).failure;

describe('errors of Trino', () => {
  it.each([
    ['TABLE_NOT_FOUND', 'USER_ERROR', 'not_found', 'object'],
    ['COLUMN_NOT_FOUND', 'USER_ERROR', 'not_found', 'object'],
    ['SCHEMA_NOT_FOUND', 'USER_ERROR', 'not_found', 'object'],
    ['CATALOG_NOT_FOUND', 'USER_ERROR', 'not_found', 'object'],
    ['ROLE_NOT_FOUND', 'USER_ERROR', 'not_found', 'object'],
    ['PERMISSION_DENIED', 'USER_ERROR', 'permission', 'object'],
    ['NOT_SUPPORTED', 'USER_ERROR', 'unsupported', 'object'],
    ['SYNTAX_ERROR', 'USER_ERROR', 'invalid', 'object'],
    ['QUERY_TEXT_TOO_LARGE', 'USER_ERROR', 'invalid', 'object'],
    ['SOME_NEW_ERROR', 'USER_ERROR', 'invalid', 'object'],
    ['ICEBERG_COMMIT_ERROR', 'EXTERNAL', 'conflict', 'object'],
    ['HIVE_CONCURRENT_MODIFICATION_DETECTED', 'EXTERNAL', 'conflict', 'object'],
    ['JDBC_ERROR', 'EXTERNAL', 'transient', 'object'],
    ['HIVE_METASTORE_ERROR', 'EXTERNAL', 'transient', 'object'],
    ['GENERIC_INTERNAL_ERROR', 'INTERNAL_ERROR', 'transient', 'object'],
    ['EXCEEDED_TIME_LIMIT', 'INSUFFICIENT_RESOURCES', 'transient', 'object'],
    ['SERVER_STARTING_UP', 'INTERNAL_ERROR', 'transient', 'target'],
    ['NO_NODES_AVAILABLE', 'INTERNAL_ERROR', 'transient', 'target'],
    ['QUERY_QUEUE_FULL', 'INSUFFICIENT_RESOURCES', 'throttled', 'target'],
    ['CLUSTER_OUT_OF_MEMORY', 'INSUFFICIENT_RESOURCES', 'throttled', 'target'],
    ['EXCEEDED_GLOBAL_MEMORY_LIMIT', 'INSUFFICIENT_RESOURCES', 'throttled', 'target'],
  ])('%s (%s) is %s of the %s', (name, type, failureClass, scope) => {
    expect(failureOf(name, type)).toMatchObject({ class: failureClass, scope, code: name });
  });

  it('knows a lost race of Iceberg by the exception behind it, whatever the name', () => {
    const type = 'org.apache.iceberg.exceptions.CommitFailedException';
    expect(failureOf('GENERIC_INTERNAL_ERROR', 'INTERNAL_ERROR', type)).toMatchObject({
      class: 'conflict',
      scope: 'object',
    });
  });

  it('tells what a connector lacks from what one object does not allow', () => {
    const hint = (message: string, errorName = 'NOT_SUPPORTED') =>
      queryError({ message, errorName, errorType: 'USER_ERROR' }, 'statement').hint;
    expect(hint('This connector does not support setting table comments')).toBe('connector-lacks');
    expect(hint('Catalog does not support permission management: memory')).toBe('connector-lacks');
    expect(hint('This connector does not support roles')).toBe('roles-lacking');
    expect(hint('Setting table owner type as a role is not supported')).toBe('roles-lacking');
    expect(hint('Cannot write to a table of reader version 9')).toBeUndefined();
    expect(hint("line 1:1: Table 'a' does not exist, but a view with that name exists.", 'TABLE_NOT_FOUND')).toBe(
      'other-kind',
    );
    expect(hint('line 1:1: Table does not exist: a', 'TABLE_NOT_FOUND')).toBeUndefined();
  });

  it('blames the login for what the first statement is denied', () => {
    const denied = { message: SECRET, errorName: 'PERMISSION_DENIED', errorType: 'USER_ERROR' };
    expect(queryError(denied, 'connect').failure).toMatchObject({ class: 'auth', scope: 'target' });
  });

  it('passes no word of the server on', () => {
    const error = queryError({ message: SECRET, errorName: 'JDBC_ERROR', errorType: 'EXTERNAL' }, 'statement');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
  });

  it.each([
    ['ECONNREFUSED', 'transient', 'ECONNREFUSED'],
    ['ENOTFOUND', 'transient', 'ENOTFOUND'],
    ['EAI_AGAIN', 'transient', 'EAI_AGAIN'],
    ['HPE_INVALID_CONSTANT', 'transient', 'HPE_INVALID_CONSTANT'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'auth', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['CERT_HAS_EXPIRED', 'auth', 'CERT_HAS_EXPIRED'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'auth', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['EPROTO', 'auth', 'EPROTO'],
    ['', 'transient', 'connection-lost'],
  ])('takes the network error %j for %s of the whole target', (code, failureClass, expected) => {
    const { failure } = networkError(Object.assign(new Error('x'), { code }));
    expect(failure).toMatchObject({ class: failureClass, scope: 'target', code: expected });
  });

  it('keeps what the server asked for with 429', () => {
    expect(httpError(429, 5_000).failure).toMatchObject({ class: 'throttled', retryAfterMs: 5_000 });
  });
});

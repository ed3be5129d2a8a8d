import { describe, expect, it } from 'vitest';
import { connectorErrorOf, failureOf } from './errors.ts';

/** An error as the driver throws it: the code is the number as a text. */
function driverError(code: string, message = "Syntax error near 'catalogue text'"): Error {
  return Object.assign(new Error(message), { code });
}

describe('failureOf', () => {
  it.each([
    ['60', 'not_found', 'object'],
    ['81', 'not_found', 'object'],
    ['10', 'not_found', 'object'],
    ['62', 'invalid', 'object'],
    ['36', 'invalid', 'object'],
    ['48', 'unsupported', 'object'],
    ['229', 'invalid', 'object'],
    ['497', 'permission', 'object'],
    ['164', 'permission', 'target'],
    ['516', 'auth', 'target'],
    ['193', 'auth', 'target'],
    ['202', 'throttled', 'target'],
    ['201', 'throttled', 'target'],
    ['241', 'throttled', 'target'],
    ['159', 'transient', 'object'],
    ['473', 'transient', 'object'],
    ['242', 'transient', 'object'],
    ['517', 'conflict', 'object'],
    ['209', 'transient', 'target'],
    ['225', 'transient', 'target'],
    ['999', 'transient', 'target'],
    ['392', 'unsupported', 'object'],
    ['701', 'not_found', 'target'],
    ['9999', 'invalid', 'object'],
    ['ECONNREFUSED', 'transient', 'target'],
    ['ECONNRESET', 'transient', 'target'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'auth', 'target'],
    ['HPE_INVALID_CONSTANT', 'transient', 'target'],
  ])('of %s is %s for the %s', (code, failureClass, scope) => {
    expect(failureOf(driverError(code), 'statement')).toMatchObject({ class: failureClass, scope, code });
  });

  it.each([
    ['Timeout error.', 'no-answer'],
    ['socket hang up', 'connection-lost'],
    ['<html>502 Bad Gateway</html>', 'no-clickhouse-answer'],
    ['', 'no-clickhouse-answer'],
  ])('of an error without a code (%s) is transient for the target', (message, code) => {
    expect(failureOf(new Error(message), 'statement')).toMatchObject({ class: 'transient', scope: 'target', code });
  });

  it('concerns the whole target while connecting', () => {
    expect(failureOf(driverError('497'), 'connect').scope).toBe('target');
  });

  it("passes nothing of the server's own words on", () => {
    for (const code of ['62', '60', '1002', '']) {
      const error = connectorErrorOf(driverError(code), 'statement');
      expect(JSON.stringify([error.failure, error.message, String(error.cause)])).not.toContain('catalogue text');
    }
  });
});

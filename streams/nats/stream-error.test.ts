import { ClosedConnectionError, errors, TimeoutError } from '@nats-io/nats-core';
import { describe, expect, it } from 'vitest';
import { fromApiFault, StreamError, toStreamError } from './stream-error.ts';

describe('fromApiFault', () => {
  it.each([
    [400, 10071, 'wrong last sequence: 3', 'conflict'],
    [400, 10164, 'wrong last sequence', 'conflict'],
    [404, 10037, 'no message found', 'not-found'],
    [404, 10059, 'stream not found', 'not-found'],
    [503, 10077, 'maximum bytes exceeded', 'full'],
    [503, 10077, 'maximum messages per subject exceeded', 'full'],
    [503, 10077, 'disk broken', 'no-responders'],
    [500, 10047, 'insufficient storage resources available', 'full'],
    [400, 10054, 'message size exceeds maximum allowed', 'too-large'],
    [503, 10008, 'JetStream system temporarily unavailable', 'no-responders'],
    [500, 10009, 'JetStream cluster can not handle request', 'no-responders'],
    [409, 10158, 'duplicate message id is in process', 'no-responders'],
    [429, 10167, 'too many requests', 'no-responders'],
    [400, 10025, 'invalid JSON', 'rejected'],
  ] as const)('%i/%i %s: %s', (code, err_code, description, expected) => {
    const error = fromApiFault({ code, err_code, description }, 'publish');
    expect(error.code).toBe(expected);
    expect(error.message).toContain(description);
  });
});

describe('toStreamError', () => {
  it('types the errors of the client and lets ours pass', () => {
    const ours = new StreamError('full', 'x');
    expect(toStreamError(ours, 'y')).toBe(ours);
    const codes = [
      new TimeoutError(),
      new errors.NoRespondersError('s'),
      new Error('wrapped', { cause: new errors.NoRespondersError('s') }),
      new ClosedConnectionError(),
      new errors.AuthorizationError('Authorization Violation'),
      new errors.PermissionViolationError('no', 'publish', 'a.b'),
      new Error('other'),
    ].map((error) => toStreamError(error, 'do it').code);
    expect(codes).toEqual([
      'timeout',
      'no-responders',
      'no-responders',
      'closed',
      'not-authorized',
      'not-authorized',
      'rejected',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { EXIT, explainError, UsageError } from './exit.ts';

describe('exit codes', () => {
  it('tells wrong usage, no connection and other problems apart', () => {
    const connector = (scope: 'target' | 'object') =>
      new ConnectorError({ class: 'auth', scope, code: '28P01', message: 'refused' });
    expect(explainError(new UsageError('x')).code).toBe(EXIT.usage);
    expect(explainError(new StreamError('cannot-connect', 'x')).code).toBe(EXIT.cannotConnect);
    expect(explainError(new StreamError('not-authorized', 'x')).code).toBe(EXIT.cannotConnect);
    expect(explainError(new StreamError('not-found', 'x')).code).toBe(EXIT.problems);
    expect(explainError(connector('target')).code).toBe(EXIT.cannotConnect);
    expect(explainError(connector('object')).code).toBe(EXIT.problems);
    expect(explainError(new Error('boom'))).toEqual({ message: 'boom', code: EXIT.problems });
  });
});

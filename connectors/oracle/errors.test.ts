import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { connectorErrorOf, failureOf } from './errors.ts';

function thrown(code: string, text = 'text of the server: "SECRET_NAME"'): Error {
  const ora = /^ORA-(\d+)$/.exec(code)?.[1];
  return Object.assign(new Error(`${code}: ${text}`), {
    code,
    ...(ora === undefined ? {} : { errorNum: Number(ora) }),
  });
}

describe('errors of Oracle', () => {
  it.each([
    ['ORA-00054', 'transient', 'object'],
    ['ORA-00060', 'transient', 'object'],
    ['ORA-04021', 'transient', 'object'],
    ['NJS-123', 'transient', 'object'],
    ['ORA-00028', 'transient', 'target'],
    ['ORA-03113', 'transient', 'target'],
    ['ORA-03114', 'transient', 'target'],
    ['ORA-03135', 'transient', 'target'],
    ['ORA-12170', 'transient', 'target'],
    ['ORA-12514', 'transient', 'target'],
    ['ORA-12537', 'transient', 'target'],
    ['ORA-12541', 'transient', 'target'],
    ['ORA-01033', 'transient', 'target'],
    ['ORA-01089', 'transient', 'target'],
    ['ORA-16000', 'transient', 'target'],
    ['NJS-500', 'transient', 'target'],
    ['NJS-503', 'transient', 'target'],
    ['NJS-518', 'transient', 'target'],
    ['ORA-00018', 'throttled', 'target'],
    ['ORA-00020', 'throttled', 'target'],
    ['ORA-12516', 'throttled', 'target'],
    ['ORA-12519', 'throttled', 'target'],
    ['ORA-02391', 'throttled', 'target'],
    ['ORA-01017', 'auth', 'target'],
    ['ORA-28000', 'auth', 'target'],
    ['ORA-28001', 'auth', 'target'],
    ['ORA-01045', 'auth', 'target'],
    ['NJS-506', 'auth', 'target'],
    ['NJS-517', 'auth', 'target'],
    ['ORA-01031', 'permission', 'object'],
    ['ORA-41900', 'permission', 'object'],
    ['ORA-00942', 'not_found', 'object'],
    ['ORA-00904', 'not_found', 'object'],
    ['ORA-04043', 'not_found', 'object'],
    ['ORA-12003', 'conflict', 'object'],
    ['ORA-12098', 'conflict', 'object'],
    ['ORA-00933', 'invalid', 'object'],
    ['ORA-00972', 'invalid', 'object'],
    ['ORA-01027', 'invalid', 'object'],
    ['ORA-01704', 'invalid', 'object'],
    ['ORA-11549', 'invalid', 'object'],
    ['ORA-99999', 'invalid', 'object'],
  ])('takes %s for %s of the %s', (code, failureClass, scope) => {
    expect(failureOf(thrown(code), 'statement')).toMatchObject({ class: failureClass, scope, code });
    expect(failureOf(thrown(code), 'connect').scope).toBe('target');
  });

  it("reads the listener's number out of the driver's error", () => {
    const refused = (number: string) => thrown('NJS-511', `refused. (CONNECTION_ID=x)\nCause: ORA-${number}`);
    expect(failureOf(refused('12516'), 'connect')).toMatchObject({ class: 'throttled', code: 'ORA-12516' });
    expect(failureOf(refused('12528'), 'connect')).toMatchObject({ class: 'transient', code: 'ORA-12528' });
    expect(failureOf(refused('99999'), 'connect')).toMatchObject({ class: 'transient', code: 'NJS-511' });
  });

  it('finds the code in a message that carries it alone, and survives what is no error', () => {
    expect(failureOf(new Error('ORA-01031: insufficient privileges'), 'statement').class).toBe('permission');
    for (const odd of [undefined, null, 'text', 7, { code: 5 }, new TypeError('x')]) {
      expect(failureOf(odd, 'statement')).toMatchObject({ class: 'transient', scope: 'object' });
    }
    expect(failureOf(Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'statement').scope).toBe('target');
  });

  it("passes on nothing of the server's text", () => {
    const error = connectorErrorOf(thrown('ORA-00942'), 'statement');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('SECRET_NAME');
  });
});

import { describe, expect, it } from 'vitest';
import { connectorErrorOf, failureOf, type Phase } from './errors.ts';

/** What the driver throws, as far as it is looked at. */
function thrown(fields: { readonly code?: string; readonly number?: number | string }, message = "near 'secret'") {
  return Object.assign(new Error(message), fields);
}

function classified(error: unknown, phase: Phase = 'statement', login: readonly number[] = []): string {
  const failure = failureOf(error, phase, login);
  return `${failure.class} ${failure.scope} ${failure.code}`;
}

describe('errors of SQL Server', () => {
  it.each([
    [1205, 'transient object 1205'],
    [1222, 'transient object 1222'],
    [3960, 'conflict object 3960'],
    [15233, 'conflict object 15233'],
    [229, 'permission object 229'],
    [15135, 'not_found object 15135'],
    [208, 'not_found object 208'],
    [102, 'invalid object 102'],
    [15097, 'invalid object 15097'],
    [3906, 'transient target 3906'],
    [9002, 'transient target 9002'],
    [596, 'transient target 596'],
    [10928, 'throttled target 10928'],
    [99_999, 'invalid object 99999'],
  ])('knows the number %i', (number, expected) => {
    expect(classified(thrown({ code: 'EREQUEST', number }))).toBe(expected);
  });

  it('looks at the first error of several that it knows', () => {
    const first = thrown({ number: 1205 });
    const last = Object.assign(thrown({ code: 'EREQUEST', number: 3930 }), { precedingErrors: [first] });
    expect(classified(last)).toBe('transient object 1205');
  });

  it('waits as long as Azure SQL asks', () => {
    expect(failureOf(thrown({ number: 40_501 }), 'statement')).toMatchObject({
      class: 'throttled',
      retryAfterMs: 10_000,
    });
  });

  it.each<[string, Phase, string]>([
    ['ETIMEOUT', 'statement', 'transient object ETIMEOUT'],
    ['ETIMEOUT', 'connect', 'transient target ETIMEOUT'],
    ['ECANCEL', 'statement', 'transient object ECANCEL'],
    ['ESOCKET', 'statement', 'transient target ESOCKET'],
    ['ESOCKET', 'connect', 'transient target ESOCKET'],
    ['ECONNRESET', 'statement', 'transient target ECONNRESET'],
    ['ECONNCLOSED', 'statement', 'transient target ECONNCLOSED'],
    ['EINSTLOOKUP', 'connect', 'transient target EINSTLOOKUP'],
    ['ELOGIN', 'connect', 'auth target ELOGIN'],
    ['EENCRYPT', 'connect', 'auth target EENCRYPT'],
    ['', 'statement', 'transient object unexpected'],
    ['', 'connect', 'transient target unexpected'],
  ])('knows the code %s in the phase %s', (code, phase, expected) => {
    expect(classified(thrown({ code }, 'something'), phase)).toBe(expected);
  });

  it('tells a bad certificate from a lost connection', () => {
    const error = thrown({ code: 'ESOCKET' }, 'Failed to connect: self-signed certificate');
    expect(classified(error, 'connect')).toBe('auth target ESOCKET');
  });

  it('uses what the server said while logging in', () => {
    const refused = thrown({ code: 'ELOGIN' });
    expect(classified(refused, 'connect', [18456])).toBe('auth target 18456');
    expect(classified(refused, 'connect', [4060, 18456])).toBe('transient target 4060');
    expect(classified(refused, 'connect-other-database', [4060, 18456])).toBe('not_found object 4060');
    expect(classified(refused, 'connect-other-database', [18456])).toBe('auth target 18456');
    expect(classified(refused, 'connect', [40_615])).toBe('auth target 40615');
  });

  it("passes on nothing of the server's own words", () => {
    const error = connectorErrorOf(thrown({ code: 'EREQUEST', number: 102 }), 'statement');
    expect(JSON.stringify([error.message, error.failure, String(error.cause)])).not.toContain('secret');
  });
});

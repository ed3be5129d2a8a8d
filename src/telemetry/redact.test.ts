import { describe, expect, it } from 'vitest';
import { isSecretKey, redact, redactText } from './redact.ts';

describe('redact', () => {
  it('replaces members whose names look like secrets, at any depth that is logged', () => {
    const line = redact({
      connection: { hostPort: 'db:5432', authType: { password: 'hunter2' }, awsConfig: { awsSecretAccessKey: 'x' } },
    });
    expect(JSON.stringify(line)).not.toMatch(/hunter2|"x"/);
    expect(line).toMatchObject({ connection: { hostPort: 'db:5432' } });
  });

  it.each([
    'password',
    'PGPASSWORD',
    'secretKey',
    'api_key',
    'privateKey',
    'Authorization',
    'jwtToken',
    'x-om-signature',
    'dsn',
  ])('knows %s as a secret', (key) => expect(isSecretKey(key)).toBe(true));

  it.each(['eventId', 'fqn', 'target', 'passes', 'statements', 'author'])('leaves %s alone', (key) =>
    expect(isSecretKey(key)).toBe(false),
  );

  it('takes user and password out of URLs inside texts', () => {
    expect(redactText('cannot reach nats://me:p@ss/w0rd@nats:4222, giving up')).toBe(
      'cannot reach nats://[redacted]@nats:4222, giving up',
    );
    expect(redactText('see https://example.org/a')).toBe('see https://example.org/a');
  });

  it('describes an error with its cause, without the settings that drivers hang on it', () => {
    const error = Object.assign(new Error('refused', { cause: new Error('postgres://u:pw@h/d') }), {
      code: 'ECONNREFUSED',
      config: { user: 'u', pass: 'pw' },
    });
    const line = JSON.stringify(redact({ err: error }));
    expect(line).toContain('ECONNREFUSED');
    expect(line).toContain('refused');
    expect(line).not.toContain('pw');
    expect(line).not.toContain('config');
  });

  it('survives cycles, bigints and bytes', () => {
    const cyclic: Record<string, unknown> = { n: 1n, bytes: new Uint8Array(3) };
    cyclic.self = cyclic;
    expect(() => JSON.stringify(redact(cyclic))).not.toThrow();
    expect(redact({ bytes: new Uint8Array(3) })).toEqual({ bytes: '[3 bytes]' });
  });

  it('cuts texts that are far too long for a line', () => {
    expect(redactText('x'.repeat(20_000)).length).toBeLessThan(9_000);
  });
});

import { describe, expect, it } from 'vitest';
import { dataDir, httpAddress, natsEnvironment, testLeaseMs, webhookSecrets } from './environment.ts';
import { UsageError } from './exit.ts';

describe('environment', () => {
  it('reads host and port, IPv6 included, and refuses anything else by its name', () => {
    expect(httpAddress({})).toEqual({ host: '127.0.0.1', port: 8085 });
    expect(httpAddress({ BACKFLOW_HTTP: ' 0.0.0.0:80 ' })).toEqual({ host: '0.0.0.0', port: 80 });
    expect(httpAddress({ BACKFLOW_HTTP: '[::1]:9000' })).toEqual({ host: '::1', port: 9000 });
    for (const wrong of ['8085', 'localhost', 'localhost:99999', '::1:80', 'http://x:80']) {
      expect(() => httpAddress({ BACKFLOW_HTTP: wrong })).toThrow(UsageError);
    }
  });

  it('splits the secrets at commas and leaves out empty ones', () => {
    expect(webhookSecrets({})).toEqual([]);
    expect(webhookSecrets({ BACKFLOW_WEBHOOK_SECRETS: ' new ,old,,' })).toEqual(['new', 'old']);
  });

  it('takes a shorter lease for tests, in whole milliseconds', () => {
    expect(testLeaseMs({})).toBeUndefined();
    expect(testLeaseMs({ BACKFLOW_TEST_LEASE_MS: ' 2000 ' })).toBe(2_000);
    for (const wrong of ['2s', '0.5', '100', '-1'])
      expect(() => testLeaseMs({ BACKFLOW_TEST_LEASE_MS: wrong })).toThrow(/BACKFLOW_TEST_LEASE_MS/);
  });

  it('takes blank variables for unset ones', () => {
    expect(dataDir({ BACKFLOW_DATA: ' ' })).toBe('.backflow');
    expect(natsEnvironment({ NATS_URL: ' ', NATS_CA: '' })).toEqual({});
  });

  it('refuses addresses of NATS that can never be reached, without showing credentials', () => {
    for (const right of ['a', 'a:4222', 'nats://u:p@a:4222, tls://[::1]:4333/', 'nats://tok@a', 'TLS://a:1'])
      expect(natsEnvironment({ NATS_URL: right }).url).toBe(right);
    for (const wrong of [
      'http://u:secret@127.0.0.1:4222',
      'nats://u:secret@127.0.0.1:x',
      'a:99999',
      'a:0',
      'nats://',
      'a b',
    ])
      expect(() => natsEnvironment({ NATS_URL: wrong })).toThrow(/^NATS_URL cannot be used: (?!.*secret)/);
  });

  it('reads how to reach NATS, and wants certificate and key together', () => {
    expect(
      natsEnvironment({ NATS_URL: 'tls://a:4222', NATS_CREDS: '/c', NATS_CA: '/ca', NATS_CERT: '/p', NATS_KEY: '/k' }),
    ).toEqual({ url: 'tls://a:4222', credsFile: '/c', tls: { caFile: '/ca', certFile: '/p', keyFile: '/k' } });
    expect(natsEnvironment({ NATS_REPLICAS: '3' })).toEqual({ replicas: 3 });
    expect(() => natsEnvironment({ NATS_REPLICAS: '2' })).toThrow(/NATS_REPLICAS is "2"/);
    expect(() => natsEnvironment({ NATS_KEY: '/k' })).toThrow(/NATS_CERT and NATS_KEY/);
  });
});

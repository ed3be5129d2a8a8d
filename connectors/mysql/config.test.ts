import { describe, expect, it } from 'vitest';
import { mysqlConfig } from './config.ts';

const BASE = { type: 'Mysql', username: 'u', hostPort: 'db:3307' };

describe('connection', () => {
  it.each([
    ['the older form', { ...BASE, password: 'p' }, { host: 'db', port: 3307, user: 'u', password: 'p', ssl: {} }],
    [
      'the newer form',
      { ...BASE, authType: { password: 'p' } },
      { host: 'db', port: 3307, user: 'u', password: 'p', ssl: {} },
    ],
    ['no port', { ...BASE, hostPort: 'db' }, { host: 'db', port: 3306, user: 'u', ssl: {} }],
    ['IPv6', { ...BASE, hostPort: '[::1]:3306' }, { host: '::1', port: 3306, user: 'u', ssl: {} }],
    [
      'certificates as text',
      { ...BASE, sslMode: 'verify-ca', sslConfig: { caCertificate: '-----BEGIN CERTIFICATE-----\\nx' } },
      {
        host: 'db',
        port: 3307,
        user: 'u',
        sslMode: 'verify-ca',
        ssl: { ca: { pem: '-----BEGIN CERTIFICATE-----\nx' } },
      },
    ],
    [
      'certificates as files',
      { ...BASE, sslCA: '/ca.pem', sslCert: '/c.pem', sslKey: '/k.pem' },
      {
        host: 'db',
        port: 3307,
        user: 'u',
        ssl: { ca: { file: '/ca.pem' }, cert: { file: '/c.pem' }, key: { file: '/k.pem' } },
      },
    ],
    [
      'what only ingestion needs',
      {
        ...BASE,
        scheme: 'mysql+pymysql',
        databaseName: 'd',
        databaseSchema: 's',
        connectionOptions: {},
        supportsProfiler: true,
      },
      { host: 'db', port: 3307, user: 'u', ssl: {} },
    ],
  ])('accepts %s', (_, json, config) => {
    expect(mysqlConfig.parse(json)).toEqual(config);
  });

  it.each([
    ['a masked password', { ...BASE, authType: { password: '*********' } }, /masked/],
    ['cloud identities', { ...BASE, authType: { awsConfig: { awsRegion: 'x' } } }, /AWS IAM/],
    ['a URL', { ...BASE, hostPort: 'mysql://db:3306' }, /host:port/],
    ['a port out of range', { ...BASE, hostPort: 'db:70000' }, /host:port/],
    ['half of a client certificate', { ...BASE, sslCert: '/c.pem' }, /both or none/],
    ['another type', { ...BASE, type: 'Postgres' }, /type/],
    ['no user', { hostPort: 'db' }, /username/],
  ])('refuses %s', (_, json, message) => {
    const parsed = mysqlConfig.safeParse(json);
    expect(parsed.success).toBe(false);
    expect(parsed.error?.message).toMatch(message);
  });
});

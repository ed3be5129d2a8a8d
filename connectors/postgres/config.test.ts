import { describe, expect, it } from 'vitest';
import { postgresConfig } from './config.ts';

const BASE = {
  type: 'Postgres',
  scheme: 'postgresql+psycopg2',
  username: 'backflow',
  authType: { password: 'pw' },
  hostPort: 'db.example.org:6432',
  database: 'shop',
  ingestAllDatabases: true,
  classificationName: 'PostgresPolicyTags',
  supportsMetadataExtraction: true,
  schemaFilterPattern: { includes: ['^app$'] },
};

function messages(json: unknown): readonly string[] {
  const parsed = postgresConfig.safeParse(json);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('connection of PostgreSQL', () => {
  it("takes OpenMetadata's JSON as it is", () => {
    expect(postgresConfig.parse(BASE)).toEqual({
      host: 'db.example.org',
      port: 6432,
      user: 'backflow',
      password: 'pw',
      database: 'shop',
      allDatabases: true,
      sslMode: 'prefer',
      ssl: {},
    });
  });

  it('takes the flat password of older services, and none at all', () => {
    const { authType: _, ...older } = BASE;
    expect(postgresConfig.parse({ ...older, password: 'old' })).toMatchObject({ password: 'old' });
    expect(postgresConfig.parse(older)).not.toHaveProperty('password');
  });

  it('takes TLS settings', () => {
    const sslConfig = { caCertificate: 'CA', sslCertificate: 'CERT', sslKey: 'KEY' };
    const config = postgresConfig.parse({ ...BASE, sslMode: 'verify-full', sslConfig });
    expect(config).toMatchObject({ sslMode: 'verify-full', ssl: { ca: 'CA', cert: 'CERT', key: 'KEY' } });
    expect(messages({ ...BASE, sslConfig: { sslKey: 'KEY' } })).toEqual([expect.stringContaining('belong together')]);
    expect(messages({ ...BASE, sslMode: 'sometimes' })).toEqual([expect.stringMatching(/^sslMode: .*verify-full/)]);
  });

  it.each([
    ['db', 'db', 5432],
    ['[::1]:5433', '::1', 5433],
    [' 10.0.0.1:1 ', '10.0.0.1', 1],
  ])('reads the address %j', (hostPort, host, port) => {
    expect(postgresConfig.parse({ ...BASE, hostPort })).toMatchObject({ host, port });
  });

  it.each([
    'postgresql://db:5432',
    'user@db:5432',
    'db:0',
    'db:99999',
    'db:',
    'a,b:5432',
    '/var/run',
    'db:5432/shop',
    '',
  ])('refuses the address %j, and says what it should be', (hostPort) => {
    expect(messages({ ...BASE, hostPort }).join()).toMatch(/^hostPort: must (be host:port|not be empty)/);
  });

  it('refuses masked secrets, wherever they stand', () => {
    const { authType: _, ...older } = BASE;
    for (const [json, path] of [
      [{ ...BASE, authType: { password: '*********' } }, 'authType.password'],
      [{ ...older, password: '****' }, 'password'],
      [{ ...BASE, sslConfig: { sslKey: '*****', sslCertificate: 'x' } }, 'sslConfig.sslKey'],
    ] as const) {
      expect(messages(json)).toEqual([expect.stringMatching(new RegExp(`^${path}: .* is masked`))]);
    }
    expect(postgresConfig.parse({ ...BASE, authType: { password: '*a*' } })).toMatchObject({ password: '*a*' });
  });

  it('names the identities that it cannot use', () => {
    expect(messages({ ...BASE, authType: { awsConfig: { awsRegion: 'x' } } })).toEqual([
      'authType.awsConfig: AWS IAM authentication is not supported. Use authType: { password: … }.',
    ]);
    expect(messages({ ...BASE, authType: { azureConfig: {} } })).toEqual([
      expect.stringContaining('Azure AD authentication is not supported'),
    ]);
  });

  it('demands what is needed to connect', () => {
    expect(messages({}).map((message) => message.split(':')[0])).toEqual(['username', 'hostPort', 'database']);
  });
});

import { describe, expect, it } from 'vitest';
import { redshiftConfig } from './config.ts';

const CLUSTER = 'analytics.abc123.eu-central-1.redshift.amazonaws.com:5439';

const BASE = {
  type: 'Redshift',
  scheme: 'redshift+psycopg2',
  username: 'backflow',
  password: 'pw',
  hostPort: CLUSTER,
  database: 'shop',
  ingestAllDatabases: true,
  supportsMetadataExtraction: true,
};

const { password: _, ...WITHOUT } = BASE;

function messages(json: unknown): readonly string[] {
  const parsed = redshiftConfig.safeParse(json);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('connection of Redshift', () => {
  it("takes OpenMetadata's JSON as it is, old and new", () => {
    const expected = {
      host: 'analytics.abc123.eu-central-1.redshift.amazonaws.com',
      port: 5439,
      user: 'backflow',
      password: 'pw',
      database: 'shop',
      allDatabases: true,
      sslMode: 'prefer',
      ssl: {},
    };
    expect(redshiftConfig.parse(BASE)).toEqual(expected);
    expect(redshiftConfig.parse({ ...WITHOUT, authType: { password: 'pw' } })).toEqual(expected);
    expect(redshiftConfig.parse({ ...BASE, hostPort: 'db' })).toMatchObject({ host: 'db', port: 5439 });
  });

  it('takes an AWS identity, and reads cluster and region from the host', () => {
    const awsConfig = { awsAccessKeyId: 'AKID', awsSecretAccessKey: 'key', awsSessionToken: 'token' };
    expect(redshiftConfig.parse({ ...WITHOUT, authType: { awsConfig } }).iam).toEqual({
      target: { cluster: 'analytics' },
      region: 'eu-central-1',
      keys: { accessKeyId: 'AKID', secretAccessKey: 'key', sessionToken: 'token' },
    });
    const serverless = {
      ...WITHOUT,
      hostPort: 'wg.123456789012.us-east-1.redshift-serverless.amazonaws.com:5439',
      authType: { awsConfig: { awsRegion: 'us-east-2' } },
    };
    expect(redshiftConfig.parse(serverless).iam).toEqual({
      target: { workgroup: 'wg' },
      region: 'us-east-2',
    });
    const named = { ...WITHOUT, hostPort: 'dwh.example.org', clusterIdentifier: 'c1', authType: { awsConfig: {} } };
    expect(messages(named)).toEqual([expect.stringContaining('needs awsRegion')]);
    const region = { ...named, authType: { awsConfig: { awsRegion: 'eu-west-1', endPointURL: 'http://localhost:1' } } };
    expect(redshiftConfig.parse(region).iam).toEqual({
      target: { cluster: 'c1' },
      region: 'eu-west-1',
      endpoint: 'http://localhost:1',
    });
  });

  it('prefers a password, and an identity that is switched off is none', () => {
    const awsConfig = { awsRegion: 'eu-west-1' };
    expect(redshiftConfig.parse({ ...BASE, authType: { awsConfig } })).not.toHaveProperty('iam');
    expect(redshiftConfig.parse({ ...WITHOUT, authType: { awsConfig: { enabled: false } } })).not.toHaveProperty('iam');
  });

  it('says what an AWS identity lacks', () => {
    const at = (hostPort: string, awsConfig: object) => messages({ ...WITHOUT, hostPort, authType: { awsConfig } });
    expect(at('dwh.example.org', { awsRegion: 'x' })).toEqual([
      'authType.awsConfig: needs clusterIdentifier or workgroupName beside hostPort, since the host is not an AWS name that tells.',
    ]);
    expect(at(CLUSTER, { awsAccessKeyId: 'AKID' })).toEqual([expect.stringContaining('belong together')]);
    expect(at(CLUSTER, { profileName: 'p' })).toEqual([expect.stringContaining('profileName is not supported')]);
    expect(at(CLUSTER, { assumeRoleArn: 'arn:x' })).toEqual([
      expect.stringContaining('assumeRoleArn is not supported'),
    ]);
  });

  it('refuses masked secrets, wherever they stand', () => {
    for (const [json, path] of [
      [{ ...BASE, password: '****' }, 'password'],
      [{ ...WITHOUT, authType: { password: '*********' } }, 'authType.password'],
      [
        { ...WITHOUT, authType: { awsConfig: { awsSecretAccessKey: '****' } } },
        'authType.awsConfig.awsSecretAccessKey',
      ],
      [{ ...WITHOUT, authType: { awsConfig: { awsSessionToken: '****' } } }, 'authType.awsConfig.awsSessionToken'],
      [{ ...BASE, sslConfig: { sslKey: '*****', sslCertificate: 'x' } }, 'sslConfig.sslKey'],
    ] as const) {
      expect(messages(json)).toEqual([expect.stringMatching(new RegExp(`^${path}: .* is masked`))]);
    }
  });

  it('names what it cannot use, and demands what it needs', () => {
    expect(messages({ ...WITHOUT, authType: { azureConfig: {} } })).toEqual([
      expect.stringContaining('Azure AD authentication is not supported'),
    ]);
    expect(messages({ ...BASE, sslConfig: { sslKey: 'KEY' } })).toEqual([expect.stringContaining('belong together')]);
    expect(messages({ ...BASE, hostPort: 'https://x' })).toEqual([expect.stringContaining('example.org:5439')]);
    expect(messages({}).map((message) => message.split(':')[0])).toEqual(['username', 'hostPort', 'database']);
  });
});

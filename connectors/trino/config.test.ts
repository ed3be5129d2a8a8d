import { describe, expect, it } from 'vitest';
import { trinoConfig } from './config.ts';

const base = { type: 'Trino', scheme: 'trino', username: 'backflow', hostPort: 'trino.example.org:8443' };

function problems(json: object): readonly string[] {
  const parsed = trinoConfig.safeParse(json);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe("OpenMetadata's connection to Trino", () => {
  it('is taken as it is', () => {
    const config = trinoConfig.parse({
      ...base,
      authType: { password: 'pw' },
      catalog: 'lake',
      databaseSchema: 'app',
      proxies: { https: 'http://proxy.example.org:3128' },
      verify: '/etc/ca.pem',
      connectionOptions: { a: 'b' },
      connectionArguments: { http_headers: {}, session_properties: { query_priority: 1 }, roles: { hive: 'admin' } },
      queryHistoryTable: 'x',
      supportsMetadataExtraction: true,
      sampleDataStorageConfig: {},
    });
    expect(config).toEqual({
      host: 'trino.example.org',
      port: 8443,
      https: true,
      user: 'backflow',
      login: { kind: 'password', password: 'pw' },
      tls: { verify: true, ca: { file: '/etc/ca.pem' } },
      proxies: { https: 'http://proxy.example.org:3128' },
      session: { query_priority: '1' },
      roles: { hive: 'admin' },
      clientTags: [],
    });
  });

  it.each([
    [{}, { https: false, port: 8443 }],
    [{ hostPort: 'trino' }, { https: false, port: 8080 }],
    [{ hostPort: 'trino:443' }, { https: true, port: 443 }],
    [
      { hostPort: 'trino', authType: { jwt: 'a.b.c' } },
      { https: true, port: 443 },
    ],
    [
      { hostPort: 'trino', password: 'pw' },
      { https: true, port: 443 },
    ],
    [{ hostPort: '[::1]:9000' }, { host: '::1', port: 9000 }],
    [{ connectionArguments: { http_scheme: 'https' } }, { https: true }],
    [
      { sslConfig: { caCertificate: '-----BEGIN X\\nY' } },
      { https: true, tls: { verify: true, ca: { pem: '-----BEGIN X\nY' } } },
    ],
    [{ verify: 'false' }, { tls: { verify: false } }],
    [{ verify: 'true' }, { tls: { verify: true } }],
    [{ connectionArguments: { verify: false } }, { tls: { verify: false } }],
    // To the same machine nothing crosses a network.
    [{ hostPort: 'localhost:8080', password: 'pw', connectionArguments: { http_scheme: 'http' } }, { https: false }],
  ])('%j makes %j', (more, expected) => {
    expect(trinoConfig.parse({ ...base, ...more })).toMatchObject(expected);
  });

  it.each([
    [{ authType: { password: '********' } }, /authType.*masked/],
    [{ password: '***' }, /password: the password is masked/],
    [{ authType: { jwt: '*****' } }, /masked/],
    [{ authType: 'OAuth2' }, /authType: OAuth2 means a login in a browser.*client credentials/],
    [{ authType: 'Kerberos' }, /authType: is not a known way/],
    [{ authType: { awsConfig: { awsRegion: 'x' } } }, /authType.awsConfig: AWS IAM/],
    [{ authType: { azureConfig: { accountName: 'x' } } }, /authType.azureConfig: needs clientId/],
    [{ authType: { azureConfig: { clientId: 'a', clientSecret: 'b', tenantId: 'c' } } }, /scopes: must name/],
    [{ authType: { jwt: 'two words' } }, /authType.jwt/],
    [{ password: 'pw', connectionArguments: { http_scheme: 'http' } }, /http_scheme: must be https/],
    [{ sslConfig: { sslCertificate: 'x' } }, /sslConfig: .*belong together/],
    [
      { sslConfig: { sslCertificate: 'x', sslKey: 'y' }, connectionArguments: { http_scheme: 'http' } },
      /must be https for a client certificate/,
    ],
    [{ hostPort: 'https://trino:8443' }, /hostPort: must be host:port/],
    [{ hostPort: 'trino:99999' }, /hostPort: must be host:port/],
    [{ username: 'gr\u00fcn' }, /username: must be printable ASCII/],
    [{ username: 'a\nb' }, /username/],
    [{ backflow: { session: { 'a,b': 'c' } } }, /backflow.session/],
    [{ backflow: { clientTags: ['a,b'] } }, /backflow.clientTags/],
    [{ backflow: { sesion: {} } }, /sesion/],
    [
      { backflow: { oauth2: { tokenUrl: 'http://idp.example.org', clientId: 'a', clientSecret: 'b' } } },
      /tokenUrl: must be an https/,
    ],
    [
      { backflow: { oauth2: { tokenUrl: 'https://idp', clientId: 'a', clientSecret: '****' } } },
      /client secret is masked/,
    ],
  ])('%j is refused', (more, expected) => {
    expect(problems({ ...base, ...more }).join('\n')).toMatch(expected);
  });

  it('makes client credentials of an Azure identity and of our own settings', () => {
    const azureConfig = {
      clientId: 'id',
      clientSecret: 'secret',
      tenantId: 'te/nant',
      scopes: 'api://trino/.default,x',
    };
    expect(trinoConfig.parse({ ...base, authType: { azureConfig } }).login).toEqual({
      kind: 'client-credentials',
      tokenUrl: 'https://login.microsoftonline.com/te%2Fnant/oauth2/v2.0/token',
      clientId: 'id',
      clientSecret: 'secret',
      scope: 'api://trino/.default x',
    });
    const oauth2 = { tokenUrl: 'https://idp.example.org/token', clientId: 'id', clientSecret: 'secret' };
    expect(trinoConfig.parse({ ...base, authType: 'OAuth2', backflow: { oauth2 } })).toMatchObject({
      https: true,
      login: { kind: 'client-credentials', ...oauth2 },
    });
  });
});

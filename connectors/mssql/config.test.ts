import { describe, expect, it } from 'vitest';
import { mssqlConfig } from './config.ts';

const BASE = {
  type: 'Mssql',
  scheme: 'mssql+pytds',
  hostPort: 'db.example.org:1444',
  username: 'backflow',
  password: 'pw',
  database: 'shop',
  supportsMetadataExtraction: true,
  schemaFilterPattern: { includes: ['^app$'] },
};
const AZURE = { clientId: 'client', clientSecret: 'hush', tenantId: 'tenant' };

function messages(json: unknown): readonly string[] {
  const parsed = mssqlConfig.safeParse(json);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('connection of SQL Server', () => {
  it("takes OpenMetadata's JSON as it is", () => {
    expect(mssqlConfig.parse(BASE)).toEqual({
      address: { host: 'db.example.org', port: 1444 },
      login: { kind: 'sql', user: 'backflow', password: 'pw' },
      database: 'shop',
      allDatabases: false,
      encrypt: true,
      trustServerCertificate: false,
      ca: undefined,
      classification: undefined,
      ownerChangeDropsPermissions: false,
    });
  });

  it('stands for all databases without one, and when it says so', () => {
    const { database: _, ...all } = BASE;
    expect(mssqlConfig.parse(all)).toMatchObject({ database: undefined, allDatabases: true });
    expect(mssqlConfig.parse({ ...BASE, ingestAllDatabases: true })).toMatchObject({
      database: 'shop',
      allDatabases: true,
    });
  });

  it.each([
    ['db', { host: 'db', port: 1433 }],
    ['db,1500', { host: 'db', port: 1500 }],
    ['tcp:db.database.windows.net,1433', { host: 'db.database.windows.net', port: 1433 }],
    ['[::1]:1500', { host: '::1', port: 1500 }],
    ['db\\SALES', { host: 'db', instance: 'SALES' }],
    ['db\\SALES:1500', { host: 'db', port: 1500 }],
    ['db\\MSSQLSERVER', { host: 'db', port: 1433 }],
  ])('reads the address %j', (hostPort, address) => {
    expect(mssqlConfig.parse({ ...BASE, hostPort })).toMatchObject({ address });
  });

  it.each(['mssql://db', 'user@db', 'db:0', 'db:99999', 'db:', 'a,b:1', 'db\\', ''])(
    'refuses the address %j',
    (hostPort) => {
      expect(messages({ ...BASE, hostPort }).join()).toMatch(/^hostPort: must (be host:port|not be empty)/);
    },
  );

  it.each([
    [{ username: 'CORP\\svc' }, { kind: 'ntlm', domain: 'CORP', user: 'svc', password: 'pw' }],
    [
      { connectionArguments: { authentication: 'ActiveDirectoryServicePrincipal' }, azureConfig: { tenantId: 't' } },
      { kind: 'entra-service-principal', clientId: 'backflow', clientSecret: 'pw', tenantId: 't' },
    ],
    [
      { authType: { azureConfig: AZURE }, username: undefined, password: undefined },
      { kind: 'entra-service-principal', clientId: 'client', clientSecret: 'hush', tenantId: 'tenant' },
    ],
    [
      { type: 'AzureSQL', authenticationMode: { authentication: 'ActiveDirectoryPassword' }, azureConfig: AZURE },
      { kind: 'entra-password', user: 'backflow', password: 'pw', clientId: 'client', tenantId: 'tenant' },
    ],
    [
      { connectionOptions: { Authentication: 'ActiveDirectoryMsi' }, username: undefined },
      { kind: 'entra-managed-identity' },
    ],
    [{ connectionOptions: { Authentication: 'ActiveDirectoryDefault' } }, { kind: 'entra-default' }],
  ])('takes the login of %j', (more, login) => {
    expect(mssqlConfig.parse({ ...BASE, ...more }).login).toEqual(login);
  });

  it.each([
    [
      { authenticationMode: { authentication: 'ActiveDirectoryInteractive' } },
      /ActiveDirectoryInteractive is not supported/,
    ],
    [
      { authenticationMode: { authentication: 'ActiveDirectoryIntegrated' } },
      /ActiveDirectoryIntegrated is not supported/,
    ],
    [{ connectionOptions: { Trusted_Connection: 'yes' } }, /Trusted_Connection .* not supported/],
    [{ connectionArguments: { authentication: 'ActiveDirectoryPassword' } }, /clientId, tenantId/],
    [{ connectionArguments: { authentication: 'ActiveDirectoryServicePrincipal' } }, /tenant/],
    [{ authType: { awsConfig: {} }, password: undefined }, /AWS IAM authentication is not supported/],
    [{ password: undefined }, /the password is missing/],
    [{ hostPort: undefined }, /hostPort: is missing/],
  ])('names what it cannot use in %j', (more, expected) => {
    expect(messages({ ...BASE, ...more }).join()).toMatch(expected);
  });

  it("reads pyodbc's connection string where OpenMetadata uses it", () => {
    const uriString =
      'DRIVER={ODBC Driver 18 for SQL Server};SERVER=tcp:odbc.example.org,1500;DATABASE=sales;UID=me;PWD={a;b}}c};Encrypt=strict;TrustServerCertificate=yes';
    const odbc = { type: 'Mssql', scheme: 'mssql+pyodbc', uriString };
    expect(mssqlConfig.parse(odbc)).toMatchObject({
      address: { host: 'odbc.example.org', port: 1500 },
      login: { kind: 'sql', user: 'me', password: 'a;b}c' },
      database: 'sales',
      encrypt: 'strict',
      trustServerCertificate: true,
    });
    expect(mssqlConfig.parse({ ...BASE, uriString })).toMatchObject({ address: { host: 'db.example.org' } });
    expect(messages({ ...odbc, uriString: 'mssql+pyodbc://me:hush@db/x' }).join()).toMatch(
      /^uriString: must be an ODBC/,
    );
    expect(messages({ ...odbc, uriString: 'SERVER=db;}' }).join()).toMatch(
      /^uriString: cannot be read .* character 11/,
    );
  });

  it('takes TLS settings wherever they stand', () => {
    expect(mssqlConfig.parse({ ...BASE, encrypt: false })).toMatchObject({ encrypt: false });
    expect(mssqlConfig.parse({ ...BASE, connectionArguments: { encrypt: 'no' } })).toMatchObject({ encrypt: false });
    const mode = { authenticationMode: { encrypt: true, trustServerCertificate: true } };
    expect(mssqlConfig.parse({ ...BASE, ...mode })).toMatchObject({ encrypt: true, trustServerCertificate: true });
    expect(mssqlConfig.parse({ ...BASE, sslConfig: { caCertificate: 'A\\nB' } })).toMatchObject({ ca: 'A\nB' });
  });

  it('refuses masked secrets, wherever they stand, and tells none', () => {
    for (const [json, place] of [
      [{ ...BASE, password: '*****' }, 'password'],
      [{ ...BASE, authType: { password: '***' } }, 'authType.password'],
      [{ ...BASE, authType: { azureConfig: { ...AZURE, clientSecret: '***' } } }, 'authType.azureConfig.clientSecret'],
      [{ ...BASE, connectionArguments: { password: '****' } }, 'connectionArguments'],
      [{ scheme: 'mssql+pyodbc', uriString: 'SERVER=db;UID=me;PWD=****' }, 'uriString'],
    ] as const) {
      const [message, ...more] = messages(json);
      expect(message).toMatch(new RegExp(`^${place}: .*mask`));
      expect(more).toEqual([]);
    }
  });

  it('takes settings of our own, and says what is wrong with them', () => {
    const sensitivityClassification = { label: 'PII' };
    expect(mssqlConfig.parse({ ...BASE, sensitivityClassification })).toMatchObject({
      classification: { label: 'PII' },
    });
    expect(messages({ ...BASE, sensitivityClassification: {} }).join()).toMatch(/needs label or informationType/);
    expect(messages({ ...BASE, sensitivityClassification: { lable: 'x' } }).join()).toMatch(/lable/);
  });
});

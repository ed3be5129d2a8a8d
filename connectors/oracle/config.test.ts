import { describe, expect, it } from 'vitest';
import { oracleConfig } from './config.ts';

const BASE = {
  type: 'Oracle',
  scheme: 'oracle+cx_oracle',
  username: 'backflow',
  password: 'pw',
  hostPort: 'db.example.org:1522',
  oracleConnectionType: { oracleServiceName: 'shop.example.org' },
  instantClientDirectory: '/instantclient',
  databaseName: 'shop',
  supportsMetadataExtraction: true,
  schemaFilterPattern: { excludes: ['^sys$'] },
};
const DESCRIPTOR = (connect: string, protocol = 'TCP') =>
  `(DESCRIPTION=(ADDRESS=(PROTOCOL=${protocol})(HOST=db.example.org)(PORT=1522))(CONNECT_DATA=(${connect})))`;

function messages(json: unknown): readonly string[] {
  const parsed = oracleConfig.safeParse(json);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('connection of Oracle', () => {
  it("takes OpenMetadata's JSON as it is", () => {
    const connectString = DESCRIPTOR('SERVICE_NAME=shop.example.org');
    expect(oracleConfig.parse(BASE)).toEqual({ user: 'backflow', password: 'pw', connectString });
  });

  it.each([
    ['a service name', { oracleConnectionType: { oracleServiceName: 'S' } }, DESCRIPTOR('SERVICE_NAME=S')],
    ['databaseSchema, which is the SID', { oracleConnectionType: { databaseSchema: 'ORCL' } }, DESCRIPTOR('SID=ORCL')],
    [
      'an older service name',
      { oracleConnectionType: undefined, oracleServiceName: 'S' },
      DESCRIPTOR('SERVICE_NAME=S'),
    ],
    ['an older databaseSchema', { oracleConnectionType: undefined, databaseSchema: 'ORCL' }, DESCRIPTOR('SID=ORCL')],
    ['our own sid', { oracleConnectionType: undefined, sid: 'ORCL' }, DESCRIPTOR('SID=ORCL')],
    [
      'an empty field of a form',
      { oracleConnectionType: { oracleServiceName: '', databaseSchema: 'X' } },
      DESCRIPTOR('SID=X'),
    ],
    ['TLS', { hostPort: 'tcps://db.example.org:1522' }, DESCRIPTOR('SERVICE_NAME=shop.example.org', 'TCPS')],
    ['a TNS alias', { hostPort: undefined, oracleConnectionType: { oracleTNSConnection: 'shop_high' } }, 'shop_high'],
    ['a descriptor', { oracleConnectionType: { oracleTNSConnection: '(DESCRIPTION=(X))' } }, '(DESCRIPTION=(X))'],
  ])('connects by %s', (_, change, connectString) => {
    expect(oracleConfig.parse({ ...BASE, ...change })).toMatchObject({ connectString });
  });

  it('takes a wallet under the names of both drivers', () => {
    const wallet = { configDir: '/w', walletLocation: '/w', walletPassword: 'wp' };
    expect(oracleConfig.parse({ ...BASE, ...wallet })).toMatchObject(wallet);
    const connectionArguments = { config_dir: '/w', wallet_location: '/w', wallet_password: 'wp' };
    expect(oracleConfig.parse({ ...BASE, connectionArguments })).toMatchObject(wallet);
    const oracleConnectionType = { tnsAlias: 'shop_high', walletPath: '/w', walletPassword: 'wp' };
    expect(oracleConfig.parse({ ...BASE, oracleConnectionType })).toMatchObject({
      ...wallet,
      connectString: 'shop_high',
    });
  });

  it('takes the newer form of the password', () => {
    const { password: _, ...newer } = BASE;
    expect(oracleConfig.parse({ ...newer, authType: { password: 'new' } })).toMatchObject({ password: 'new' });
  });

  it.each([
    ['a masked password', { password: '********' }, /^password: the password is masked/],
    ['a masked newer password', { authType: { password: '***' } }, /^authType.password: .*masked/],
    ['a masked wallet', { walletPassword: '****' }, /^walletPassword: .*masked/],
    ['no password', { password: undefined }, /^password: is required.*Kerberos/],
    [
      'another identity',
      { password: '', authType: { azureConfig: {} } },
      /^authType.azureConfig: .*azureConfig is not/,
    ],
    ['SYSDBA', { connectionArguments: { mode: 2 } }, /^connectionArguments.mode: Connections as SYSDBA/],
    ['no way to connect', { oracleConnectionType: {} }, /^oracleConnectionType: Give .*oracleTNSConnection/],
    ['no address', { hostPort: '' }, /^hostPort: is required/],
    ['two servers', { hostPort: 'a:1,b:2' }, /^hostPort: must be host:port.*oracleTNSConnection/],
    ['a port out of range', { hostPort: 'a:70000' }, /^hostPort: must be/],
    [
      'syntax in a service name',
      { oracleConnectionType: { oracleServiceName: 'x)(SECURITY=' } },
      /oracleServiceName: must be a plain/,
    ],
    ['syntax in a SID', { oracleConnectionType: { databaseSchema: 'x)' } }, /databaseSchema: must be a plain/],
    ['another type', { type: 'Postgres' }, /^type:/],
    ['no user', { username: ' ' }, /^username: must not be empty/],
  ])('refuses %s and says how to repair it', (_, change, message) => {
    expect(messages({ ...BASE, ...change }).join('\n')).toMatch(message);
  });
});

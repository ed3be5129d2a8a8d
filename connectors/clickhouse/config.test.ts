import { describe, expect, it } from 'vitest';
import { clickhouseConfig } from './config.ts';

const PEM = '-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----';

/** OpenMetadata's connection, with everything that its form offers. */
const FROM_OPENMETADATA = {
  type: 'Clickhouse',
  scheme: 'clickhouse+http',
  username: 'reader',
  password: 'secret',
  hostPort: 'ch.example.org:8123',
  databaseName: 'default',
  databaseSchema: 'sales',
  duration: 60,
  https: false,
  secure: false,
  keyfile: '/etc/key.pem',
  connectionOptions: {},
  connectionArguments: {},
  supportsMetadataExtraction: true,
  schemaFilterPattern: { includes: [], excludes: [] },
};

function parsed(over: object) {
  return clickhouseConfig.parse({ ...FROM_OPENMETADATA, ...over });
}

function problem(over: object): string {
  const result = clickhouseConfig.safeParse({ ...FROM_OPENMETADATA, ...over });
  return result.success
    ? 'accepted'
    : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
}

describe('the configuration of a ClickHouse connection', () => {
  it("is OpenMetadata's own, unchanged", () => {
    expect(clickhouseConfig.parse(FROM_OPENMETADATA)).toEqual({
      host: 'ch.example.org',
      port: 8123,
      https: false,
      user: 'reader',
      password: 'secret',
      tls: { verify: true },
    });
  });

  it('needs no more than an address', () => {
    expect(clickhouseConfig.parse({ hostPort: '[::1]' })).toMatchObject({
      host: '::1',
      port: 8123,
      user: 'default',
      password: '',
    });
  });

  it('takes the password from either place', () => {
    expect(parsed({ password: undefined, authType: { password: 'newer' } }).password).toBe('newer');
  });

  it.each([
    ['https', { https: true }, 8123],
    ['secure', { secure: true }, 8123],
    ['the protocol option', { connectionOptions: { protocol: 'https' } }, 8123],
    ['the secure option', { connectionOptions: { secure: 'True' } }, 8123],
    ['the port for it', { hostPort: 'h:8443' }, 8443],
    ['the native port for it', { scheme: 'clickhouse+native', hostPort: 'h:9440', keyfile: undefined }, 8443],
    ['https without a port', { https: true, hostPort: 'h' }, 8443],
  ])('speaks TLS because of %s', (_, over, port) => {
    expect(parsed(over)).toMatchObject({ https: true, port });
  });

  it('finds the HTTP port beside a native one, or is told', () => {
    const native = { scheme: 'clickhouse+native', keyfile: undefined };
    expect(parsed({ ...native, hostPort: 'h:9000' })).toMatchObject({ port: 8123, https: false });
    expect(problem({ ...native, hostPort: 'h:19000' })).toMatch(
      /^hostPort: .*native protocol.*backflow: \{ hostPort: h:8123 \}/,
    );
    expect(parsed({ ...native, hostPort: 'h:19000', backflow: { hostPort: 'h:18123' } })).toMatchObject({
      port: 18_123,
    });
    expect(parsed({ ...native, hostPort: 'h:9000', backflow: { hostPort: 'p:9000' } })).toMatchObject({
      host: 'p',
      port: 9000,
    });
  });

  it('takes certificates as texts and as files', () => {
    const pem = PEM.replaceAll('\\n', '\n');
    expect(parsed({ sslConfig: { caCertificate: PEM, sslCertificate: PEM, sslKey: '/k.pem' } }).tls).toEqual({
      verify: true,
      ca: { pem },
      cert: { pem },
      key: { file: '/k.pem' },
    });
    expect(parsed({ connectionOptions: { verify: '/ca.pem' } }).tls).toEqual({ verify: true, ca: { file: '/ca.pem' } });
    expect(parsed({ connectionOptions: { verify: 'False' } }).tls).toEqual({ verify: false });
  });

  it('has settings of its own, which are checked', () => {
    expect(parsed({ backflow: { cluster: 'all' } }).cluster).toBe('all');
    expect(problem({ backflow: { clutser: 'all' } })).toMatch(/clutser/);
    expect(problem({ backflow: { cluster: '' } })).toMatch(/backflow.cluster: must not be empty/);
  });

  it.each([
    ['a masked password', { password: '*********' }, /^password: the password is masked.*ENV_VARIABLE/],
    ['a masked password in authType', { authType: { password: '****' } }, /masked/],
    ['a token', { authType: { jwt: 'x' } }, /^authType.jwt: A JSON web token is not supported/],
    ['AWS', { authType: { awsConfig: {} } }, /AWS IAM is not supported/],
    ['Azure', { authType: { azureConfig: {} } }, /Azure AD is not supported/],
    ['a URL', { hostPort: 'http://h:8123' }, /^hostPort: must be host:port/],
    ['a port that is none', { hostPort: 'h:70000' }, /^hostPort/],
    ['a certificate without its key', { keyfile: undefined, sslConfig: { sslCertificate: PEM } }, /needs its key/],
    [
      'a key without its certificate',
      { scheme: 'clickhouse+native', hostPort: 'h:9440' },
      /^keyfile: .*without its certificate/,
    ],
    ['another service', { type: 'Mysql' }, /^type/],
  ])('refuses %s', (_, over, message) => {
    expect(problem(over)).toMatch(message);
  });
});

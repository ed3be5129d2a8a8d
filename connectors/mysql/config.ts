import { z } from 'zod';

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** A certificate or key: its PEM text, or (in OpenMetadata's older form) the path of a file that holds it. */
export type PemSource = { readonly pem: string } | { readonly file: string };

/** What is needed to connect. Holds secrets: never logged, never part of an error. */
export interface MysqlConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  /** Absent: no TLS unless certificates are given. */
  readonly sslMode?: SslMode;
  readonly ssl: { readonly ca?: PemSource; readonly cert?: PemSource; readonly key?: PemSource };
}

const DEFAULT_PORT = 3306;

const secret = (what: string) =>
  z.string().refine((text) => !/^\*+$/.test(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

const source = z.looseObject({
  type: z.enum(['Mysql', 'MariaDB']).optional(),
  username: z.string().min(1, 'must not be empty'),
  password: secret('the password').optional(),
  authType: z
    .looseObject({
      password: secret('the password').optional(),
      awsConfig: z.unknown().optional(),
      azureConfig: z.unknown().optional(),
      gcpConfig: z.unknown().optional(),
    })
    .optional(),
  hostPort: z.string().min(1, 'must not be empty'),
  sslMode: z.enum(SSL_MODES).optional(),
  sslConfig: z
    .looseObject({
      caCertificate: secret('the CA certificate').optional(),
      sslCertificate: secret('the client certificate').optional(),
      sslKey: secret('the client key').optional(),
    })
    .optional(),
  sslCA: z.string().optional(),
  sslCert: z.string().optional(),
  sslKey: secret('the client key').optional(),
});

const CLOUD_IDENTITIES = [
  ['awsConfig', 'AWS IAM'],
  ['azureConfig', 'Azure AD'],
  ['gcpConfig', 'Google Cloud SQL IAM'],
] as const;

/**
 * OpenMetadata's `Mysql` or `MariaDB` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some
 * with every version; what we cannot honour (cloud identities) is refused by name. `databaseName` is only OpenMetadata's name for the
 * whole server and `databaseSchema` only narrows ingestion, so neither is needed to write.
 */
export const mysqlConfig: z.ZodType<MysqlConfig> = source.transform((connection, context): MysqlConfig => {
  const refuse = (path: readonly string[], message: string): typeof z.NEVER => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  const { authType: auth } = connection;
  for (const [key, name] of CLOUD_IDENTITIES) {
    if (auth?.[key] !== undefined && auth.password === undefined) {
      return refuse(['authType', key], `${name} authentication is not supported. Use authType: { password: … }.`);
    }
  }
  const address = parseHostPort(connection.hostPort);
  if (typeof address === 'string') return refuse(['hostPort'], address);
  const password = auth?.password ?? connection.password;
  const ca = pemOf(connection.sslConfig?.caCertificate, connection.sslCA);
  const cert = pemOf(connection.sslConfig?.sslCertificate, connection.sslCert);
  const key = pemOf(connection.sslConfig?.sslKey, connection.sslKey);
  if ((cert === undefined) !== (key === undefined)) {
    return refuse(['sslConfig'], "The client's certificate and key belong together: give both or none.");
  }
  return {
    ...address,
    user: connection.username,
    ...(password === undefined ? {} : { password }),
    ...(connection.sslMode === undefined ? {} : { sslMode: connection.sslMode }),
    ssl: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
});

function pemOf(newer: string | undefined, older: string | undefined): PemSource | undefined {
  const text = newer ?? older;
  if (text === undefined || text.trim() === '') return undefined;
  if (text.includes('-----BEGIN')) return { pem: text.replaceAll('\\n', '\n') };
  return { file: text };
}

/** `host`, `host:port` or `[ipv6]:port`; the answer is a message for a person when it is none of these. */
function parseHostPort(hostPort: string): { readonly host: string; readonly port: number } | string {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@,]+))(?::(\d{1,5}))?$/.exec(hostPort.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    return 'must be host:port, for example db.example.org:3306 (no protocol, no user, one server).';
  }
  return { host, port };
}

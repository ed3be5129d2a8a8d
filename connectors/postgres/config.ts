import { z } from 'zod';

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** What is needed to connect. Holds secrets: never logged, never part of an error. */
export interface PostgresConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Absent: the server is expected to let us in without one (trust, peer, client certificate). */
  readonly password?: string;
  /** The configured database; the only one unless `allDatabases`. */
  readonly database: string;
  /** OpenMetadata's `ingestAllDatabases`: the service stands for all databases of the server. */
  readonly allDatabases: boolean;
  readonly sslMode: SslMode;
  /** PEM texts. */
  readonly ssl: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

const DEFAULT_PORT = 5432;

/** OpenMetadata shows secrets as a run of asterisks to everybody but bots. */
function isMasked(secret: string): boolean {
  return /^\*+$/.test(secret);
}

const secret = (what: string) =>
  z.string().refine((text) => !isMasked(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

const text = z.string().min(1, 'must not be empty');

const authType = z.looseObject({
  password: secret('the password').optional(),
  awsConfig: z.unknown().optional(),
  azureConfig: z.unknown().optional(),
});

const sslConfig = z.looseObject({
  caCertificate: secret('the CA certificate').optional(),
  sslCertificate: secret('the client certificate').optional(),
  sslKey: secret('the client key').optional(),
});

const source = z.looseObject({
  type: z.literal('Postgres').optional(),
  username: text,
  password: secret('the password').optional(),
  authType: authType.optional(),
  hostPort: text,
  database: text,
  ingestAllDatabases: z.boolean().default(false),
  sslMode: z.enum(SSL_MODES).default('prefer'),
  sslConfig: sslConfig.optional(),
});

/**
 * OpenMetadata's `Postgres` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some with
 * every version; what we cannot honour (cloud identities) is refused by name.
 */
export const postgresConfig: z.ZodType<PostgresConfig> = source.transform((connection, context): PostgresConfig => {
  const { authType: auth, hostPort } = connection;
  const refuse = (path: readonly string[], message: string): typeof z.NEVER => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  for (const [key, name] of [
    ['awsConfig', 'AWS IAM'],
    ['azureConfig', 'Azure AD'],
  ] as const) {
    if (auth?.[key] !== undefined && auth.password === undefined) {
      return refuse(['authType', key], `${name} authentication is not supported. Use authType: { password: … }.`);
    }
  }
  const address = parseHostPort(hostPort);
  if (typeof address === 'string') return refuse(['hostPort'], address);
  const password = auth?.password ?? connection.password;
  const { caCertificate: ca, sslCertificate: cert, sslKey: key } = connection.sslConfig ?? {};
  if ((cert === undefined) !== (key === undefined)) {
    return refuse(['sslConfig'], 'sslCertificate and sslKey belong together: give both or none.');
  }
  return {
    ...address,
    user: connection.username,
    ...(password === undefined ? {} : { password }),
    database: connection.database,
    allDatabases: connection.ingestAllDatabases,
    sslMode: connection.sslMode,
    ssl: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
});

/** `host`, `host:port` or `[ipv6]:port`; the answer is a message for a person when it is none of these. */
function parseHostPort(hostPort: string): { readonly host: string; readonly port: number } | string {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@,]+))(?::(\d{1,5}))?$/.exec(hostPort.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    return 'must be host:port, for example db.example.org:5432 (no protocol, no user, one server).';
  }
  return { host, port };
}

import { z } from 'zod';

/** A certificate or key: its PEM text, or the path of a file that holds it. */
export type PemSource = { readonly pem: string } | { readonly file: string };

/** What is needed to connect over HTTP. Holds secrets: never logged, never part of an error. */
export interface ClickhouseConfig {
  readonly host: string;
  readonly port: number;
  readonly https: boolean;
  readonly user: string;
  /** Empty: the account has none. */
  readonly password: string;
  /** Only looked at with `https`. `verify` false: the server's certificate is not checked. */
  readonly tls: {
    readonly verify: boolean;
    readonly ca?: PemSource;
    readonly cert?: PemSource;
    readonly key?: PemSource;
  };
  /** Statements run `ON CLUSTER` of this name. */
  readonly cluster?: string;
}

const secret = (what: string) =>
  z.string().refine((text) => !/^\*+$/.test(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

const source = z.looseObject({
  type: z.literal('Clickhouse').optional(),
  scheme: z.enum(['clickhouse+http', 'clickhouse+native']).default('clickhouse+http'),
  username: z.string().default('default'),
  password: secret('the password').default(''),
  authType: z
    .looseObject({
      password: secret('the password').optional(),
      jwt: z.unknown().optional(),
      awsConfig: z.unknown().optional(),
      azureConfig: z.unknown().optional(),
    })
    .optional(),
  hostPort: z.string().min(1, 'must not be empty'),
  https: z.boolean().default(false),
  secure: z.boolean().default(false),
  keyfile: z.string().optional(),
  sslConfig: z
    .looseObject({
      caCertificate: secret('the CA certificate').optional(),
      sslCertificate: secret('the client certificate').optional(),
      sslKey: secret('the client key').optional(),
    })
    .optional(),
  connectionOptions: z.record(z.string(), z.unknown()).default({}),
  connectionArguments: z.record(z.string(), z.unknown()).default({}),
  /** Our own settings beside OpenMetadata's. */
  backflow: z
    .strictObject({
      /** The HTTP address, where `hostPort` is that of the native protocol. */
      hostPort: z.string().optional(),
      cluster: z.string().min(1, 'must not be empty').optional(),
    })
    .default({}),
});

const UNSUPPORTED = [
  ['jwt', 'A JSON web token'],
  ['awsConfig', 'AWS IAM'],
  ['azureConfig', 'Azure AD'],
] as const;

/** The HTTP port that stands beside a native one in ClickHouse's own default configuration. */
const HTTP_PORT_OF: Readonly<Record<number, number>> = { 9000: 8123, 9440: 8443 };
const TLS_PORTS: ReadonlySet<number> = new Set([8443, 9440]);

/**
 * OpenMetadata's `Clickhouse` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some with
 * every version. `databaseName` is only OpenMetadata's name for the whole server and `databaseSchema` only narrows ingestion, so
 * neither is needed to write. We speak HTTP only: of a native connection the default ports are known, another one needs
 * `backflow.hostPort`.
 */
export const clickhouseConfig: z.ZodType<ClickhouseConfig> = source.transform(
  (connection, context): ClickhouseConfig => {
    const refuse = (path: readonly string[], message: string): typeof z.NEVER => {
      context.addIssue({ code: 'custom', path: [...path], message });
      return z.NEVER;
    };
    const { authType: auth, backflow, connectionOptions: options } = connection;
    for (const [key, name] of UNSUPPORTED) {
      if (auth?.[key] !== undefined && auth.password === undefined) {
        return refuse(['authType', key], `${name} is not supported. Use username and password.`);
      }
    }
    const given = parseHostPort(backflow.hostPort ?? connection.hostPort);
    if (typeof given === 'string')
      return refuse(backflow.hostPort === undefined ? ['hostPort'] : ['backflow', 'hostPort'], given);
    const native = connection.scheme === 'clickhouse+native';
    const nativeAddress = native && backflow.hostPort === undefined;
    const https =
      connection.https ||
      connection.secure ||
      options.protocol === 'https' ||
      String(options.secure).toLowerCase() === 'true' ||
      (given.port !== undefined && TLS_PORTS.has(given.port));
    const ownPort = https ? 8443 : 8123;
    const port = given.port === undefined ? ownPort : nativeAddress ? HTTP_PORT_OF[given.port] : given.port;
    if (port === undefined) {
      return refuse(
        ['hostPort'],
        `is the address of ClickHouse's native protocol (scheme clickhouse+native), and which port speaks HTTP is not known. Add backflow: { hostPort: ${given.host}:8123 }.`,
      );
    }
    const cert = pemOf(connection.sslConfig?.sslCertificate ?? textOf(connection.connectionArguments.certfile));
    const key = pemOf(
      connection.sslConfig?.sslKey ?? textOf(connection.connectionArguments.keyfile) ?? connection.keyfile,
    );
    // OpenMetadata hands `keyfile` only to the native driver; over HTTP it means nothing there either.
    const pair = cert !== undefined && key !== undefined;
    if (cert !== undefined && key === undefined) {
      return refuse(['sslConfig'], "The client's certificate needs its key: add sslKey.");
    }
    if (key !== undefined && cert === undefined && (native || connection.sslConfig?.sslKey !== undefined)) {
      return refuse(
        connection.sslConfig?.sslKey === undefined ? ['keyfile'] : ['sslConfig'],
        "The client's key is of no use without its certificate: add sslConfig: { sslCertificate: … }, or take the key away.",
      );
    }
    const verify = options.verify ?? connection.connectionArguments.verify;
    const ca = pemOf(
      connection.sslConfig?.caCertificate ?? textOf(connection.connectionArguments.ca_certs) ?? caPath(verify),
    );
    return {
      host: given.host,
      port,
      https,
      user: connection.username === '' ? 'default' : connection.username,
      password: auth?.password ?? connection.password,
      tls: {
        verify: String(verify).toLowerCase() !== 'false',
        ...(ca === undefined ? {} : { ca }),
        ...(pair ? { cert, key } : {}),
      },
      ...(backflow.cluster === undefined ? {} : { cluster: backflow.cluster }),
    };
  },
);

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `verify` is a switch, or the path of a CA certificate. */
function caPath(verify: unknown): string | undefined {
  return typeof verify === 'string' && !/^(true|false)$/i.test(verify) ? verify : undefined;
}

function pemOf(text: string | undefined): PemSource | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  return text.includes('-----BEGIN') ? { pem: text.replaceAll('\\n', '\n') } : { file: text };
}

interface Address {
  readonly host: string;
  readonly port: number | undefined;
}

/** `host`, `host:port` or `[ipv6]:port`; the answer is a message for a person when it is none of these. */
function parseHostPort(hostPort: string): Address | string {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@,?#]+))(?::(\d{1,5}))?$/.exec(hostPort.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? undefined : Number(match[3]);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) {
    return 'must be host:port, for example ch.example.org:8123 (no protocol, no user, one server).';
  }
  return { host, port };
}

import { z } from 'zod';
import { type Address, parseAddress } from './address.ts';
import { chooseLogin, type Login } from './login.ts';
import { type OdbcSettings, parseOdbcString, settingName } from './odbc-string.ts';

/** What is needed to connect. Holds secrets: never logged, never part of an error. */
export interface MssqlConfig {
  readonly address: Address;
  readonly login: Login;
  /** The configured database; undefined: OpenMetadata's "all databases of the server". */
  readonly database: string | undefined;
  readonly allDatabases: boolean;
  /** `strict`: TLS before anything else (TDS 8, SQL Server 2022 and Azure). */
  readonly encrypt: boolean | 'strict';
  readonly trustServerCertificate: boolean;
  /** PEM text of the authority that signed the server's certificate. */
  readonly ca: string | undefined;
  /** Which tags of a column also become its sensitivity classification; undefined: none do. */
  readonly classification: ClassificationRule | undefined;
  /** ALTER AUTHORIZATION drops the permissions granted on an object; unless this is set, such objects keep their owner. */
  readonly ownerChangeDropsPermissions: boolean;
}

/** Tag keys (classifications of the catalogue) whose value becomes the label or the information type. */
export interface ClassificationRule {
  readonly label?: string | undefined;
  readonly informationType?: string | undefined;
}

const secret = (what: string) =>
  z.string().refine((text) => !/^\*+$/.test(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

const scalars = z.record(z.string(), z.unknown());

const azureConfig = z.looseObject({
  clientId: z.string().optional(),
  clientSecret: secret('the client secret').optional(),
  tenantId: z.string().optional(),
});

const source = z.looseObject({
  type: z.enum(['Mssql', 'AzureSQL']).optional(),
  username: z.string().min(1, 'must not be empty').optional(),
  password: secret('the password').optional(),
  authType: z
    .looseObject({
      password: secret('the password').optional(),
      azureConfig: azureConfig.optional(),
      awsConfig: z.unknown().optional(),
    })
    .optional(),
  authenticationMode: z
    .looseObject({
      authentication: z.string().optional(),
      encrypt: z.boolean().optional(),
      trustServerCertificate: z.boolean().optional(),
    })
    .optional(),
  hostPort: z.string().min(1, 'must not be empty').optional(),
  uriString: secret('the connection string').optional(),
  scheme: z.string().optional(),
  database: z.string().optional(),
  ingestAllDatabases: z.boolean().optional(),
  encrypt: z.union([z.boolean(), z.literal('strict')]).optional(),
  trustServerCertificate: z.boolean().optional(),
  sslConfig: z.looseObject({ caCertificate: secret('the CA certificate').optional() }).optional(),
  connectionOptions: scalars.optional(),
  connectionArguments: scalars.optional(),
  azureConfig: azureConfig.optional(),
  sensitivityClassification: z
    .strictObject({ label: z.string().min(1).optional(), informationType: z.string().min(1).optional() })
    .refine(({ label, informationType }) => label !== undefined || informationType !== undefined, {
      message: 'needs label or informationType: the tag key whose value is written there.',
    })
    .optional(),
  ownerChangeDropsPermissions: z.boolean().default(false),
});

/**
 * OpenMetadata's `Mssql` or `AzureSQL` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some
 * with every version; what we cannot honour is refused by name. The last two settings are ours.
 */
export const mssqlConfig: z.ZodType<MssqlConfig> = source.transform((connection, context): MssqlConfig => {
  const refuse = (path: string, message: string): typeof z.NEVER => {
    context.addIssue({ code: 'custom', path: path.split('.'), message });
    return z.NEVER;
  };
  const odbc = odbcOf(connection.scheme, connection.uriString, connection.hostPort);
  if (typeof odbc === 'string') return refuse('uriString', odbc);
  const password = connection.authType?.password ?? connection.password ?? odbc.get('pwd');
  if (connection.authType?.awsConfig !== undefined && password === undefined) {
    return refuse('authType.awsConfig', 'AWS IAM authentication is not supported. Use username and password.');
  }
  const given = settingsOf(odbc, connection.connectionOptions, connection.connectionArguments);
  for (const name of ['pwd', 'password', 'accesstoken']) {
    const value = given.get(name);
    if (value !== undefined && /^\*+$/.test(value))
      return refuse('connectionArguments', `${name} is masked (only asterisks).`);
  }
  const hostPort = odbc.get('server') ?? connection.hostPort;
  if (hostPort === undefined) return refuse('hostPort', 'is missing: host:port or host\\instance.');
  const address = parseAddress(hostPort);
  if (typeof address === 'string') return refuse(odbc.has('server') ? 'uriString' : 'hostPort', address);
  const azure = connection.authType?.azureConfig ?? connection.azureConfig;
  const login = chooseLogin({
    user: connection.username ?? odbc.get('uid'),
    password,
    authentication: connection.authenticationMode?.authentication ?? given.get('authentication'),
    trusted: isYes(given.get('trustedconnection')),
    clientId: azure?.clientId,
    clientSecret: azure?.clientSecret,
    tenantId: azure?.tenantId,
  });
  if (!login.ok) return refuse(loginPath(connection), login.error);
  const wantsTls = connection.encrypt ?? connection.authenticationMode?.encrypt ?? encryption(given.get('encrypt'));
  const database = emptyToNone(odbc.get('database') ?? connection.database);
  return {
    address,
    login: login.value,
    database,
    allDatabases: connection.ingestAllDatabases ?? database === undefined,
    encrypt: wantsTls ?? true,
    trustServerCertificate:
      connection.trustServerCertificate ??
      connection.authenticationMode?.trustServerCertificate ??
      isYes(given.get('trustservercertificate')),
    ca: emptyToNone(connection.sslConfig?.caCertificate?.replaceAll('\\n', '\n')),
    classification: connection.sensitivityClassification,
    ownerChangeDropsPermissions: connection.ownerChangeDropsPermissions,
  };
});

/** The ODBC string counts where OpenMetadata itself uses it: with pyodbc, or when there is no address beside it. */
function odbcOf(
  scheme: string | undefined,
  uri: string | undefined,
  hostPort: string | undefined,
): OdbcSettings | string {
  if (uri === undefined || uri.trim() === '') return new Map();
  if (scheme !== 'mssql+pyodbc' && hostPort !== undefined) return new Map();
  const parsed = parseOdbcString(uri);
  if (!parsed.ok) return parsed.error;
  const alias = (...names: readonly string[]) =>
    names.map((name) => parsed.value.get(name)).find((one) => one !== undefined);
  const settings = new Map(parsed.value);
  for (const [name, value] of [
    ['server', alias('server', 'address', 'addr', 'datasource')],
    ['database', alias('database', 'initialcatalog')],
    ['uid', alias('uid', 'user', 'userid')],
    ['pwd', alias('pwd', 'password')],
  ] as const) {
    if (value !== undefined) settings.set(name, value);
  }
  if (/^\*+$/.test(settings.get('pwd') ?? ''))
    return 'holds a masked password (only asterisks). Put the real one there.';
  return settings;
}

function settingsOf(
  ...sources: readonly (OdbcSettings | Readonly<Record<string, unknown>> | undefined)[]
): OdbcSettings {
  const settings = new Map<string, string>();
  for (const one of sources) {
    const entries = one instanceof Map ? [...one] : Object.entries(one ?? {});
    for (const [name, value] of entries) {
      if (['string', 'boolean', 'number'].includes(typeof value)) settings.set(settingName(name), String(value));
    }
  }
  return settings;
}

function loginPath(connection: z.infer<typeof source>): string {
  if (connection.authenticationMode?.authentication !== undefined) return 'authenticationMode.authentication';
  return connection.username === undefined ? 'username' : 'authType';
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && /^(?:yes|true|1|sspi)$/i.test(value);
}

function encryption(value: string | undefined): boolean | 'strict' | undefined {
  if (value === undefined) return undefined;
  if (/^strict$/i.test(value)) return 'strict';
  return /^(?:yes|true|1|mandatory)$/i.test(value);
}

function emptyToNone(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

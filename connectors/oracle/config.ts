import { z } from 'zod';
import type { Result } from '../../src/domain/result.ts';
import { connectDescriptor, parseHostPort } from './connect-descriptor.ts';

/** What is needed to connect. Holds secrets: never logged, never part of an error. */
export interface OracleConfig {
  readonly user: string;
  readonly password: string;
  /** A descriptor, an EZConnect string or a TNS alias. */
  readonly connectString: string;
  /** Folder of `tnsnames.ora`. */
  readonly configDir?: string;
  /** Folder of `ewallet.pem`, or the text of that file. */
  readonly walletLocation?: string;
  readonly walletContent?: string;
  readonly walletPassword?: string;
}

const secret = (what: string) =>
  z.string().refine((text) => !/^\*+$/.test(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

const text = z.string().trim().min(1, 'must not be empty');
/** Forms of OpenMetadata leave fields empty that were not filled in. */
const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value.trim() === '' ? undefined : value.trim()));
const optionalSecret = (what: string) =>
  secret(what)
    .optional()
    .transform((value) => (value === '' ? undefined : value));

const connectionType = z.looseObject({
  oracleServiceName: optionalText,
  databaseSchema: optionalText,
  oracleTNSConnection: optionalText,
  tnsAlias: optionalText,
  walletPath: optionalText,
  walletPassword: optionalSecret('the password of the wallet'),
});

const source = z.looseObject({
  type: z.literal('Oracle').optional(),
  username: text,
  password: optionalSecret('the password'),
  authType: z.looseObject({ password: optionalSecret('the password') }).optional(),
  hostPort: optionalText,
  oracleConnectionType: connectionType.optional(),
  // Older services have these two beside the others.
  oracleServiceName: optionalText,
  databaseSchema: optionalText,
  // Our own.
  sid: optionalText,
  configDir: optionalText,
  walletLocation: optionalText,
  walletContent: optionalSecret('the wallet'),
  walletPassword: optionalSecret('the password of the wallet'),
  /** Arguments of the Python driver, which OpenMetadata passes on. */
  connectionArguments: z
    .looseObject({
      config_dir: optionalText,
      wallet_location: optionalText,
      wallet_password: optionalSecret('the password of the wallet'),
      mode: z.unknown().optional(),
    })
    .nullish(),
});
type Source = z.output<typeof source>;

const WAYS =
  'Give oracleConnectionType one of { oracleServiceName: … }, { oracleTNSConnection: … } (a descriptor or an alias of tnsnames.ora) or { databaseSchema: … } (the SID).';

/**
 * OpenMetadata's `Oracle` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some with every
 * version; ways of logging in that we cannot honour are refused by name. `databaseName` is only OpenMetadata's name for the whole
 * service, and `instantClientDirectory` is for a client library that is not needed.
 */
export const oracleConfig: z.ZodType<OracleConfig> = source.transform((connection, context): OracleConfig => {
  const refuse = (path: readonly string[], message: string): typeof z.NEVER => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  const { authType: auth, oracleConnectionType: way, connectionArguments: args } = connection;
  const password = auth?.password ?? connection.password;
  const other = Object.entries(auth ?? {}).find(([key, value]) => key !== 'password' && value !== undefined);
  if (password === undefined && other !== undefined) {
    return refuse(
      ['authType', other[0]],
      `Authentication by ${other[0]} is not supported. Use password: … (or authType: { password: … }).`,
    );
  }
  if (password === undefined) {
    return refuse(['password'], 'is required: logging in without one (operating system, Kerberos) is not supported.');
  }
  if (args?.mode !== undefined && args.mode !== null) {
    return refuse(
      ['connectionArguments', 'mode'],
      'Connections as SYSDBA and the like are not supported. Connect as an ordinary user.',
    );
  }
  const found = connectStringOf(connection);
  if (!found.ok) return refuse(found.error.path, found.error.message);
  const configDir = connection.configDir ?? args?.config_dir ?? way?.walletPath;
  const walletLocation = connection.walletLocation ?? args?.wallet_location ?? way?.walletPath;
  const walletPassword = connection.walletPassword ?? args?.wallet_password ?? way?.walletPassword;
  return {
    user: connection.username,
    password,
    connectString: found.value,
    ...(configDir === undefined ? {} : { configDir }),
    ...(walletLocation === undefined ? {} : { walletLocation }),
    ...(connection.walletContent === undefined ? {} : { walletContent: connection.walletContent }),
    ...(walletPassword === undefined ? {} : { walletPassword }),
  };
});

interface Problem {
  readonly path: readonly string[];
  readonly message: string;
}

function connectStringOf(connection: Source): Result<string, Problem> {
  const { oracleConnectionType: way, hostPort } = connection;
  const problem = (path: readonly string[], message: string): Result<string, Problem> => ({
    ok: false,
    error: { path, message },
  });
  const whole = way?.oracleTNSConnection ?? way?.tnsAlias;
  if (whole !== undefined) return { ok: true, value: whole };
  const service = way?.oracleServiceName ?? connection.oracleServiceName;
  const sid = connection.sid ?? way?.databaseSchema ?? connection.databaseSchema;
  const name = service ?? sid;
  if (name === undefined) return problem(['oracleConnectionType'], WAYS);
  if (hostPort === undefined) return problem(['hostPort'], 'is required together with a service name or a SID.');
  const address = parseHostPort(hostPort);
  if (!address.ok) return problem(['hostPort'], address.error);
  const descriptor = connectDescriptor(address.value, service === undefined ? 'SID' : 'SERVICE_NAME', name);
  if (descriptor.ok) return descriptor;
  return problem(
    ['oracleConnectionType', service === undefined ? 'databaseSchema' : 'oracleServiceName'],
    descriptor.error,
  );
}

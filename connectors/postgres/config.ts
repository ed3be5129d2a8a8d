import { z } from 'zod';
import {
  CERTIFICATE_AND_KEY,
  certificatesOf,
  filledText,
  parseHostPort,
  secretText,
  sslFields,
  type WireConfig,
} from '../postgres-wire/connection-json.ts';

/** What is needed to connect. Holds secrets: never logged, never part of an error. */
export type PostgresConfig = WireConfig;

const DEFAULT_PORT = 5432;

const authType = z.looseObject({
  password: secretText('the password').optional(),
  awsConfig: z.unknown().optional(),
  azureConfig: z.unknown().optional(),
});

const source = z.looseObject({
  type: z.literal('Postgres').optional(),
  username: filledText,
  password: secretText('the password').optional(),
  authType: authType.optional(),
  hostPort: filledText,
  database: filledText,
  ingestAllDatabases: z.boolean().default(false),
  ...sslFields,
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
  const address = parseHostPort(hostPort, DEFAULT_PORT);
  if (typeof address === 'string') return refuse(['hostPort'], address);
  const password = auth?.password ?? connection.password;
  const ssl = certificatesOf(connection.sslConfig);
  if (ssl === undefined) return refuse(['sslConfig'], CERTIFICATE_AND_KEY);
  return {
    ...address,
    user: connection.username,
    ...(password === undefined ? {} : { password }),
    database: connection.database,
    allDatabases: connection.ingestAllDatabases,
    sslMode: connection.sslMode,
    ssl,
  };
});

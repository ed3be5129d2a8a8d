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
import type { AwsKeys } from './aws-signature.ts';

/** A login by AWS identity: which cluster or workgroup to ask for a temporary password, and as whom. */
export interface IamLogin {
  readonly target: { readonly cluster: string } | { readonly workgroup: string };
  readonly region: string;
  /** Absent: those of the process's environment (AWS_ACCESS_KEY_ID …). */
  readonly keys?: AwsKeys;
  readonly endpoint?: string;
}

/** What is needed to connect. Holds secrets: never logged, never part of an error. */
export interface RedshiftConfig extends WireConfig {
  /** Present: the password is a temporary one, asked for anew when it is about to end. */
  readonly iam?: IamLogin;
}

const DEFAULT_PORT = 5439;

const awsConfig = z.looseObject({
  enabled: z.boolean().optional(),
  awsAccessKeyId: z.string().optional(),
  awsSecretAccessKey: secretText('the AWS secret key').optional(),
  awsSessionToken: secretText('the AWS session token').optional(),
  awsRegion: z.string().optional(),
  endPointURL: z.string().optional(),
  profileName: z.string().optional(),
  assumeRoleArn: z.string().optional(),
});
type AwsConfig = z.output<typeof awsConfig>;

const source = z.looseObject({
  type: z.literal('Redshift').optional(),
  username: filledText,
  password: secretText('the password').optional(),
  authType: z
    .looseObject({
      password: secretText('the password').optional(),
      awsConfig: awsConfig.optional(),
      azureConfig: z.unknown().optional(),
    })
    .optional(),
  hostPort: filledText,
  database: filledText,
  ingestAllDatabases: z.boolean().default(false),
  /** Ours, for IAM behind a host name of one's own. */
  clusterIdentifier: z.string().min(1).optional(),
  workgroupName: z.string().min(1).optional(),
  ...sslFields,
});
type Source = z.output<typeof source>;

/**
 * OpenMetadata's `Redshift` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some with
 * every version; an identity that we cannot use is refused by name.
 */
export const redshiftConfig: z.ZodType<RedshiftConfig> = source.transform((connection, context): RedshiftConfig => {
  const { authType: auth } = connection;
  const refuse = (path: readonly string[], message: string): typeof z.NEVER => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  const address = parseHostPort(connection.hostPort, DEFAULT_PORT);
  if (typeof address === 'string') return refuse(['hostPort'], address);
  const ssl = certificatesOf(connection.sslConfig);
  if (ssl === undefined) return refuse(['sslConfig'], CERTIFICATE_AND_KEY);
  const password = auth?.password ?? connection.password;
  if (password === undefined && auth?.azureConfig !== undefined && auth.awsConfig === undefined) {
    const message = 'Azure AD authentication is not supported. Use authType: { password: … } or { awsConfig: … }.';
    return refuse(['authType', 'azureConfig'], message);
  }
  const aws = password === undefined && auth?.awsConfig?.enabled !== false ? auth?.awsConfig : undefined;
  const iam = aws === undefined ? undefined : iamLogin(connection, aws, address.host);
  if (typeof iam === 'string') return refuse(['authType', 'awsConfig'], iam);
  return {
    ...address,
    user: connection.username,
    ...(password === undefined ? {} : { password }),
    ...(iam === undefined ? {} : { iam }),
    database: connection.database,
    allDatabases: connection.ingestAllDatabases,
    sslMode: connection.sslMode,
    ssl,
  };
});

/** `cluster.hash.region.redshift.amazonaws.com` and `workgroup.account.region.redshift-serverless.amazonaws.com`. */
const AWS_HOST = /^([^.]+)\.[^.]+\.([a-z0-9-]+)\.(redshift|redshift-serverless)\.amazonaws\.com(?:\.cn)?$/;

/** The answer is a message for a person when something is missing. */
function iamLogin(connection: Source, aws: AwsConfig, host: string): IamLogin | string {
  const [, name, region, service] = AWS_HOST.exec(host) ?? [];
  const workgroup = connection.workgroupName ?? (service === 'redshift-serverless' ? name : undefined);
  const cluster = connection.clusterIdentifier ?? (service === 'redshift' ? name : undefined);
  const where = aws.awsRegion ?? region;
  if (workgroup === undefined && cluster === undefined) {
    return 'needs clusterIdentifier or workgroupName beside hostPort, since the host is not an AWS name that tells.';
  }
  if (where === undefined) return 'needs awsRegion, since the host is not an AWS name that tells.';
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, awsSessionToken: sessionToken } = aws;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    return 'awsAccessKeyId and awsSecretAccessKey belong together: give both, or none to use the environment.';
  }
  if (aws.assumeRoleArn !== undefined) {
    return 'assumeRoleArn is not supported. Give the keys of an identity that may log in itself.';
  }
  if (aws.profileName !== undefined && accessKeyId === undefined) {
    return 'profileName is not supported. Give awsAccessKeyId and awsSecretAccessKey, or set them in the environment.';
  }
  return {
    target: workgroup === undefined ? { cluster: cluster ?? '' } : { workgroup },
    region: where,
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { keys: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } }),
    ...(aws.endPointURL === undefined ? {} : { endpoint: aws.endPointURL }),
  };
}

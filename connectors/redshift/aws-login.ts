import { z } from 'zod';
import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import { type AwsKeys, type AwsPost, signedHeaders } from './aws-signature.ts';
import type { ClusterLogin, LoginRequest, LoginSigner } from './cluster-login.ts';

const ANSWER_MS = 15_000;
/** How long a login is good for; the shortest that AWS gives out. */
const LOGIN_SECONDS = 900;

/** What AWS calls its refusals, where they are not about the identity. */
const CLASSES: Readonly<Record<string, FailureClass>> = {
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  RequestLimitExceeded: 'throttled',
  ClusterNotFound: 'not_found',
  ResourceNotFoundException: 'not_found',
  UnsupportedOperation: 'unsupported',
};

const serverlessAnswer = z.looseObject({ dbUser: z.string(), dbPassword: z.string(), expiration: z.number() });
const serverlessError = z.looseObject({ __type: z.string() });

/** Asks AWS itself: GetClusterCredentials for a cluster, GetCredentials for a workgroup. `environment`: where keys may lie. */
export function awsLogin(environment: NodeJS.ProcessEnv): LoginSigner {
  return async (request) => {
    const keys = request.keys ?? keysOf(environment);
    if (keys === undefined) throw failed('auth', 'aws-keys-missing', NO_KEYS);
    const { service, post, read } = 'cluster' in request.target ? forCluster(request) : forWorkgroup(request);
    const url = new URL(request.endpoint ?? `https://${service}.${request.region}.${suffixOf(request.region)}`);
    const signed: AwsPost = { ...post, host: url.host, region: request.region, service };
    const { status, body } = await send(url, signed, keys);
    if (status === 200) return read(body);
    throw refused(status, body);
  };
}

const NO_KEYS =
  'There are no AWS keys: give awsAccessKeyId and awsSecretAccessKey, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Identities of a machine or container are not supported.';

function keysOf(environment: NodeJS.ProcessEnv): AwsKeys | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = environment;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    ...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
  };
}

function suffixOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

interface Question {
  readonly service: string;
  readonly post: Pick<AwsPost, 'headers' | 'body'>;
  read(body: string): ClusterLogin;
}

/** Query API of 2012-12-01, which answers in XML. */
function forCluster({ target, user, database }: LoginRequest): Question {
  const body = new URLSearchParams({
    Action: 'GetClusterCredentials',
    Version: '2012-12-01',
    ClusterIdentifier: 'cluster' in target ? target.cluster : '',
    DbUser: user,
    ...(database === undefined ? {} : { DbName: database }),
    AutoCreate: 'false',
    DurationSeconds: String(LOGIN_SECONDS),
  });
  return {
    service: 'redshift',
    post: { headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, body: body.toString() },
    read(answer) {
      const [name, password, end] = ['DbUser', 'DbPassword', 'Expiration'].map((tag) => textOf(answer, tag));
      const expiresAt = Date.parse(end ?? '');
      if (name === undefined || password === undefined || Number.isNaN(expiresAt)) throw unreadable();
      return { user: name, password, expiresAt };
    },
  };
}

/** JSON 1.1; the user is the AWS identity itself. */
function forWorkgroup({ target, database }: LoginRequest): Question {
  const body = {
    workgroupName: 'workgroup' in target ? target.workgroup : '',
    ...(database === undefined ? {} : { dbName: database }),
    durationSeconds: LOGIN_SECONDS,
  };
  return {
    service: 'redshift-serverless',
    post: {
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'RedshiftServerless.GetCredentials',
      },
      body: JSON.stringify(body),
    },
    read(answer) {
      const parsed = serverlessAnswer.safeParse(jsonOf(answer));
      if (!parsed.success) throw unreadable();
      const { dbUser, dbPassword, expiration } = parsed.data;
      return { user: dbUser, password: dbPassword, expiresAt: expiration * 1000 };
    },
  };
}

async function send(
  url: URL,
  post: AwsPost,
  keys: AwsKeys,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: signedHeaders(post, keys, Date.now()),
      body: post.body,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: response.status, body: await response.text() };
  } catch {
    // What the error says could hold the request, and with it the signature.
    throw failed('transient', 'aws-unreachable', `AWS cannot be reached at ${url.host}.`);
  }
}

function refused(status: number, body: string): ConnectorError {
  const json = serverlessError.safeParse(jsonOf(body));
  const code = textOf(body, 'Code') ?? (json.success ? json.data.__type.replace(/^.*#/, '') : '');
  const safe = /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : String(status);
  const failureClass = status >= 500 ? 'transient' : status === 429 ? 'throttled' : (CLASSES[code] ?? 'auth');
  const message = `AWS gives no login for the cluster (${safe}). It takes redshift:GetClusterCredentials for the cluster, user and database, or redshift-serverless:GetCredentials for the workgroup.`;
  return failed(failureClass, safe, message);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** The text of the first element of this name. */
function textOf(xml: string, tag: string): string | undefined {
  const raw = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  return raw?.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return hex === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number.parseInt(hex, 16));
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(): ConnectorError {
  return failed('transient', 'aws-unreadable', 'AWS answered with something else than a login.');
}

function failed(failureClass: FailureClass, code: string, message: string): ConnectorError {
  const failure: Failure = { class: failureClass, scope: 'target', code, message };
  return new ConnectorError(failure);
}

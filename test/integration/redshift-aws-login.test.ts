import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awsLogin } from '../../connectors/redshift/aws-login.ts';
import type { LoginRequest } from '../../connectors/redshift/cluster-login.ts';

interface Seen {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server;
let endpoint = '';
let answer: { readonly status: number; readonly body: string } = { status: 200, body: '' };
let seen: Seen | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      seen = { headers: request.headers, body };
      response.writeHead(answer.status).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  endpoint = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function request(over: Partial<LoginRequest> = {}): LoginRequest {
  return {
    target: { cluster: 'analytics' },
    region: 'eu-central-1',
    keys: { accessKeyId: 'AKID', secretAccessKey: 'secret key', sessionToken: 'secret token' },
    user: 'backflow',
    database: 'shop',
    endpoint,
    ...over,
  };
}

const ask = (over: Partial<LoginRequest> = {}, environment: NodeJS.ProcessEnv = {}) =>
  awsLogin(environment)(request(over));

describe('temporary logins from AWS', () => {
  it('come from GetClusterCredentials for a cluster', async () => {
    answer = {
      status: 200,
      body: `<GetClusterCredentialsResponse><GetClusterCredentialsResult><DbUser>IAM:backflow</DbUser>
        <Expiration>2026-11-30T12:00:00.000Z</Expiration><DbPassword>a&lt;b&amp;&#43;&#x2F;=</DbPassword>
        </GetClusterCredentialsResult></GetClusterCredentialsResponse>`,
    };
    expect(await ask()).toEqual({
      user: 'IAM:backflow',
      password: 'a<b&+/=',
      expiresAt: Date.parse('2026-11-30T12:00:00Z'),
    });
    expect(Object.fromEntries(new URLSearchParams(seen?.body))).toEqual({
      Action: 'GetClusterCredentials',
      Version: '2012-12-01',
      ClusterIdentifier: 'analytics',
      DbUser: 'backflow',
      DbName: 'shop',
      AutoCreate: 'false',
      DurationSeconds: '900',
    });
    expect(seen?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/redshift\//);
    expect(seen?.headers['x-amz-security-token']).toBe('secret token');
  });

  it('come from GetCredentials for a workgroup, and know every database when none is named', async () => {
    answer = { status: 200, body: JSON.stringify({ dbUser: 'IAMR:role', dbPassword: 'p', expiration: 1.7e9 }) };
    const { database: _, ...everywhere } = request({ target: { workgroup: 'wg' } });
    expect(await awsLogin({})(everywhere)).toEqual({ user: 'IAMR:role', password: 'p', expiresAt: 1.7e12 });
    expect(JSON.parse(seen?.body ?? '')).toEqual({ workgroupName: 'wg', durationSeconds: 900 });
    expect(seen?.headers['x-amz-target']).toBe('RedshiftServerless.GetCredentials');
    expect(seen?.headers.authorization).toContain('/eu-central-1/redshift-serverless/aws4_request');
  });

  it('use the keys of the environment when the connection has none', async () => {
    const { keys: _, ...without } = request();
    await expect(awsLogin({})(without)).rejects.toMatchObject({
      class: 'auth',
      scope: 'target',
      code: 'aws-keys-missing',
    });
    answer = { status: 200, body: '<DbUser>u</DbUser><DbPassword>p</DbPassword><Expiration>2026-11-30</Expiration>' };
    await awsLogin({ AWS_ACCESS_KEY_ID: 'FROMENV', AWS_SECRET_ACCESS_KEY: 'x' })(without);
    expect(seen?.headers.authorization).toContain('Credential=FROMENV/');
  });

  it.each([
    [403, '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>', 'auth', 'AccessDenied'],
    [404, '<Error><Code>ClusterNotFound</Code></Error>', 'not_found', 'ClusterNotFound'],
    [400, '<Error><Code>Throttling</Code></Error>', 'throttled', 'Throttling'],
    [
      400,
      '{"__type":"com.amazonaws#ResourceNotFoundException","message":"x"}',
      'not_found',
      'ResourceNotFoundException',
    ],
    [429, '', 'throttled', '429'],
    [503, '<html>secret token</html>', 'transient', '503'],
    [200, '<html></html>', 'transient', 'aws-unreadable'],
  ])('answer %i %s is %s for the target', async (status, body, failureClass, code) => {
    answer = { status, body };
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ class: failureClass, scope: 'target', code });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
  });

  it('wait while AWS is away', async () => {
    await expect(ask({ endpoint: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      class: 'transient',
      scope: 'target',
      code: 'aws-unreachable',
    });
  });
});

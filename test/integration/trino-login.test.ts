import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../connectors/contract.ts';
import { trinoConnector } from '../../connectors/trino/connector.ts';
import { selfSignedCertificate } from '../support/self-signed-certificate.ts';
import { trinoRef } from '../support/trino-harness.ts';
import { startBreakableProxy } from '../support/trino-proxy.ts';
import { startTrinoServer, type TrinoServer, type TrinoServerOptions } from '../support/trino-server.ts';

const tls = selfSignedCertificate('the server');
const client = selfSignedCertificate('the client');
const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(options: TrinoServerOptions): Promise<TrinoServer> {
  const server = await startTrinoServer(options);
  stops.push(() => server.stop());
  return server;
}

async function connect(server: TrinoServer, more: object): Promise<Connection> {
  const json = { type: 'Trino', username: 'ada', hostPort: `127.0.0.1:${server.port}`, ...more };
  const connection = await trinoConnector.open(trinoConnector.spec.config.parse(json), { lane: 'login', epoch: 1 });
  stops.push(() => connection.close());
  return connection;
}

/** `class code` of the failure. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  );
  return `${Reflect.get(Object(error), 'class')} ${Reflect.get(Object(error), 'code')}`;
}

const ca = { sslConfig: { caCertificate: tls.cert } };

describe('logging in to Trino', () => {
  it('takes a password over TLS, in the newer and the older form', async () => {
    const server = await start({ tls, passwords: { ada: 'p:w é' } });
    const report = await (await connect(server, { authType: { password: 'p:w é' }, ...ca })).check([]);
    expect(report).toMatchObject({ ok: true, server: 'Trino 476', user: 'ada' });
    await connect(server, { password: 'p:w é', ...ca });
    expect(await refusal(connect(server, { password: 'other', ...ca }))).toBe('auth http-401');
  });

  it('checks the certificate of the server, unless it is told not to', async () => {
    const server = await start({ tls, passwords: { ada: 'pw' } });
    const password = { authType: { password: 'pw' } };
    expect(await refusal(connect(server, password))).toMatch(/^auth (DEPTH_ZERO|SELF_SIGNED)/);
    expect(await refusal(connect(server, { ...password, sslConfig: { caCertificate: client.cert } }))).toMatch(
      /^auth /,
    );
    expect(await refusal(connect(server, { ...password, verify: '/nowhere/ca.pem' }))).toBe('auth certificate-file');
    await connect(server, { ...password, verify: 'false' });
    await connect(server, { ...password, connectionArguments: { verify: false } });
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it('says that the scheme is wrong, whichever way round', async () => {
    const plain = await start({});
    expect(await refusal(connect(plain, { connectionArguments: { http_scheme: 'https' } }))).toMatch(/^auth E/);
    const secure = await start({ tls });
    expect(await refusal(connect(secure, {}))).toMatch(/^transient /);
  });

  it('goes through a proxy, with TLS to the server itself', async () => {
    const server = await start({ tls, passwords: { ada: 'pw' } });
    const proxy = await startBreakableProxy();
    stops.push(() => proxy.stop());
    const settings = { authType: { password: 'pw' }, proxies: { https: proxy.url }, ...ca };
    await connect(server, settings);
    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`]);
  });

  it('takes a token', async () => {
    const server = await start({ tls, tokens: new Set(['a.b.c']) });
    await connect(server, { authType: { jwt: 'a.b.c' }, ...ca });
    expect(await refusal(connect(server, { authType: { jwt: 'x.y.z' }, ...ca }))).toBe('auth http-401');
  });

  it('shows a client certificate', async () => {
    const server = await start({ tls: { ...tls, clientCa: client.cert } });
    const sslConfig = { ...ca.sslConfig, sslCertificate: client.cert, sslKey: client.key };
    await connect(server, { sslConfig });
    expect(await refusal(connect(server, ca))).toBe('auth http-401');
  });

  it('fetches a token with client credentials, keeps it, and fetches another when it is no longer taken', async () => {
    const tokens = new Set<string>();
    const asked: string[] = [];
    let answer = (): readonly [number, string] => {
      tokens.clear();
      tokens.add(`token-${asked.length}`);
      return [200, JSON.stringify({ access_token: `token-${asked.length}`, token_type: 'Bearer', expires_in: 3600 })];
    };
    const issuer = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        asked.push(`${request.headers.authorization} ${body}`);
        const [code, text] = answer();
        response.writeHead(code).end(text);
      });
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => issuer.close(resolve)));
    const address = issuer.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const server = await start({ tls, tokens });
    const oauth2 = {
      tokenUrl: `http://127.0.0.1:${port}/token`,
      clientId: 'id:1',
      clientSecret: 's€cret',
      scope: 'trino x',
    };
    const settings = { authType: 'OAuth2', backflow: { oauth2 }, ...ca };

    const connection = await connect(server, settings);
    const ask = () => connection.read([trinoRef('table', 'memory', 'app', 'orders')]);
    await ask();
    const pair = Buffer.from('id%3A1:s%E2%82%ACcret').toString('base64');
    expect(asked).toEqual([`Basic ${pair} grant_type=client_credentials&scope=trino+x`]);

    tokens.clear();
    await ask();
    expect(asked.length).toBe(2);

    answer = () => [401, '{"error":"invalid_client"}'];
    tokens.clear();
    expect(await refusal(ask())).toBe('auth token-http-401');
    answer = () => [503, 'busy'];
    expect(await refusal(ask())).toBe('transient token-http-503');
    answer = () => [200, '{"token_type":"Bearer"}'];
    expect(await refusal(ask())).toBe('auth token-malformed');
    // A token that the server never takes is not fetched for ever.
    const before = asked.length;
    answer = () => [200, '{"access_token":"never"}'];
    expect(await refusal(ask())).toBe('auth http-401');
    expect(asked.length).toBe(before + 2);
  });
});

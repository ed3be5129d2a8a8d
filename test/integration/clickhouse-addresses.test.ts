import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import type { Connection } from '../../connectors/contract.ts';
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse-server.ts';
import { selfSignedCertificate } from '../support/self-signed-certificate.ts';

const open = (connection: object): Promise<Connection> =>
  clickhouseConnector.open(clickhouseConnector.spec.config.parse(connection), { lane: 'click/0', epoch: 7 });

describe('TLS', () => {
  const own = selfSignedCertificate('the server');
  const foreign = selfSignedCertificate('somebody else');
  let server: ClickhouseServer;
  let front: TlsServer;

  beforeAll(async () => {
    server = await startClickhouse({ accounts: [{ user: 'writer', password: 'of writer', grants: [] }] });
    // Takes the encryption off in front of the server, as a load balancer does.
    front = createTlsServer(own, (secured) => {
      const plain = connectTo(server.port, server.host);
      for (const socket of [secured, plain]) socket.on('error', () => {});
      secured.pipe(plain).pipe(secured);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => front.close(resolve));
    await server.stop();
  });

  it.each([
    ['the right CA', { https: true, sslConfig: { caCertificate: own.cert } }, 'connected'],
    ['another CA', { https: true, sslConfig: { caCertificate: foreign.cert } }, 'auth target'],
    ['no CA', { secure: true }, 'auth target'],
    ['no check', { connectionOptions: { protocol: 'https', verify: 'false' } }, 'connected'],
    ['a CA file that is not there', { https: true, connectionOptions: { verify: '/nowhere/ca.pem' } }, 'auth target'],
    ['no encryption', {}, 'transient target'],
  ])('with %s', async (_, more, expected) => {
    const { port }: Partial<AddressInfo> = Object(front.address());
    const connection = open({ username: 'writer', password: 'of writer', hostPort: `127.0.0.1:${port}`, ...more });
    const outcome = await connection.then(
      async (opened) => {
        await opened.close();
        return 'connected';
      },
      ({ failure }) => `${failure.class} ${failure.scope}`,
    );
    expect(outcome).toBe(expected);
  });
});

describe('an address where something else answers', () => {
  const failing = async (listen: Server) => {
    await new Promise<void>((resolve) => listen.listen(0, '127.0.0.1', resolve));
    const { port }: Partial<AddressInfo> = Object(listen.address());
    const failure = await open({ hostPort: `127.0.0.1:${port}`, password: 'hidden one' }).then(
      () => undefined,
      (error) => error.failure,
    );
    listen.closeAllConnections();
    await new Promise((resolve) => listen.close(resolve));
    return failure;
  };

  it('is a transient failure of the target: a proxy without a server behind it', async () => {
    const proxy = createServer((_, response) => response.writeHead(502).end('<html>Bad Gateway</html>'));
    expect(await failing(proxy)).toMatchObject({ class: 'transient', scope: 'target', code: 'no-clickhouse-answer' });
  });

  it('is recognised when it is the native port', async () => {
    // The server tells clients that speak HTTP to its native port so.
    const native = createServer((_, response) => {
      response.writeHead(400).end('Port 9000 is for clickhouse-client program\nYou must use port 8123 for HTTP.\n');
    });
    const failure = await failing(native);
    expect(failure).toMatchObject({
      class: 'transient',
      scope: 'target',
      message: expect.stringContaining('native port'),
    });
  });
});

import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An HTTP proxy for TLS connections (CONNECT) that can break all of them. */
export interface BreakableProxy {
  /** `http://127.0.0.1:port`, as `proxies: { https: … }` takes it. */
  readonly url: string;
  /** Where the connections went: `host:port`, oldest first. */
  readonly targets: readonly string[];
  breakAll(): void;
  stop(): Promise<void>;
}

export async function startBreakableProxy(): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  const targets: string[] = [];
  const server = createServer((_, response) => {
    response.writeHead(405).end();
  });
  const keep = (one: Socket, other: Socket): void => {
    sockets.add(one);
    one.on('error', () => {});
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  };
  server.on('connect', (request, near: Socket) => {
    const { hostname, port } = new URL(`http://${request.url ?? ''}`);
    targets.push(request.url ?? '');
    const far = connect(Number(port === '' ? 80 : port), hostname.replaceAll(/[[\]]/g, ''));
    keep(near, far);
    keep(far, near);
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    targets,
    breakAll,
    async stop() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { listeningAt } from './listening-url.ts';

export interface WaitingServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** What the replica waits for; no secrets. */
  readonly waitsFor: () => Readonly<Record<string, string>>;
}

export interface WaitingServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Stands in for the HTTP port while the replica cannot start yet: it lives (`/livez`), is not ready (`/readyz` says why), and refuses
 * everything else with 503, so that an orchestrator neither kills it nor sends it anything. Rejects when the address cannot be had.
 */
export async function startWaitingServer(options: WaitingServerOptions): Promise<WaitingServer> {
  const server = createServer((request, response) => {
    request.resume();
    const path = request.url?.split('?')[0];
    response.setHeader('connection', 'close');
    if (path === '/livez') {
      response.setHeader('content-type', 'text/plain').end('ok\n');
      return;
    }
    const answer = { ready: false, checks: options.waitsFor() };
    response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '5' });
    response.end(JSON.stringify(path === '/readyz' ? answer : { error: 'starting', ...answer }));
  });
  server.listen({ host: options.host, port: options.port });
  await once(server, 'listening');
  return {
    url: listeningAt(server.address(), options).url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

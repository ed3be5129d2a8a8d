import { createServer, request as requestPlain } from 'node:http';
import { request as requestSecured } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ClickhouseConfig } from '../../connectors/clickhouse/config.ts';

/** Stands between the connector and a server that is not ours, to see what is sent and to break connections. */
export interface ClickhouseProxy {
  readonly port: number;
  journal(): Promise<readonly string[]>;
  breakConnections(): Promise<void>;
  hold(text: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function startClickhouseProxy({ host, port, https, tls }: ClickhouseConfig): Promise<ClickhouseProxy> {
  const journal: string[] = [];
  const sockets = new Set<Socket>();
  const held = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const statement = body.toString();
    while ([...held].some((text) => statement.includes(text)) && !response.destroyed) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (response.destroyed) return;
    if (!/^\s*(SELECT|CHECK)\b/i.test(statement)) journal.push(statement);
    const { method, url: path, headers } = request;
    const options = { host, port, method, path, headers: { ...headers, host: `${host}:${port}` } };
    const send = https ? requestSecured({ ...options, rejectUnauthorized: tls.verify }) : requestPlain(options);
    send.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    send.on('error', () => response.destroy());
    send.end(body);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own = 0 }: Partial<AddressInfo> = Object(server.address());
  return {
    port: own,
    journal: async () => journal.splice(0),
    async breakConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async hold(text) {
      held.add(text);
      return async () => {
        held.delete(text);
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Fault, ProxiedConnection, type Side } from './proxied-connection.ts';

export type { Fault, Side };

/** A TCP proxy on 127.0.0.1 in front of one server, through which the network can be made to fail. */
export interface FaultProxy {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Connections that are open now. */
  readonly connections: number;
  /** Connections of which `hold-from` holds something back now. */
  readonly holding: number;
  /** Holds for connections that are there and for new ones, until the next call. */
  set(fault: Fault): void;
  /** Resets every connection that is open. */
  cutAll(): void;
  /** The given side is told that the other has finished sending; the other direction stays open. */
  halfClose(towards: Side): void;
  /** Closes the proxy and all its connections. */
  close(): Promise<void>;
}

/** `upstream` is asked for each connection, so that the server may come back on another port. */
export async function startFaultProxy(upstream: () => { readonly port: number }): Promise<FaultProxy> {
  let fault: Fault = { kind: 'pass' };
  const connections = new Set<ProxiedConnection>();
  const accept = (client: Socket): void => {
    const connection = new ProxiedConnection(client, upstream().port, fault);
    connections.add(connection);
    void connection.ended.then(() => connections.delete(connection));
  };
  const server = createServer({ allowHalfOpen: true }, accept).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    host: '127.0.0.1',
    port: address.port,
    get connections() {
      return connections.size;
    },
    get holding() {
      return [...connections].filter((connection) => connection.holding).length;
    },
    set(next) {
      fault = next;
      for (const connection of connections) connection.set(next);
    },
    cutAll() {
      for (const connection of connections) connection.reset();
    },
    halfClose(towards) {
      for (const connection of connections) connection.halfClose(towards);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.reset();
      await closed;
    },
  };
}

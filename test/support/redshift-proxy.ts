import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type RedshiftSession, raise, rewriteForPostgres } from './redshift-rewrite.ts';
import type { BackslashMode } from './redshift-tokens.ts';

/** What a test wants to happen to a statement instead: another one runs, or an error is reported. */
export type Interception = { readonly run: string } | { readonly code: string; readonly message: string };

export interface RedshiftProxyOptions {
  readonly host: string;
  readonly port: number;
  /** How the server in front of us reads plain literals; absent: a real Redshift stands behind, nothing is rewritten. */
  readonly backslash?: BackslashMode;
  /** Encrypt what goes to the server, if it can. */
  readonly tls?: boolean;
  readonly intercept?: (statement: string) => Interception | undefined;
}

/** Stands between a driver and PostgreSQL, and makes it behave like Redshift as far as statements go. */
export interface RedshiftProxy {
  readonly port: number;
  /** The statements of Backflow's sessions seen since the last call, as they came, oldest first. */
  statements(): readonly string[];
  /** Breaks all connections, or only Backflow's own, as a network fault does. */
  breakConnections(which?: 'all' | 'backflow'): void;
  stop(): Promise<void>;
}

const STARTUP = 196_608;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export async function startRedshiftProxy(options: RedshiftProxyOptions): Promise<RedshiftProxy> {
  let seen: string[] = [];
  const sockets = new Set<Socket>();
  const ours = new Set<Socket>();
  const watch = (socket: Socket, onClose: () => void): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      ours.delete(socket);
      onClose();
    });
  };
  const server = createServer({ noDelay: true, pauseOnConnect: true }, async (client) => {
    watch(client, () => {});
    const upstream = await reach(options).catch(() => undefined);
    if (upstream === undefined || client.destroyed) {
      upstream?.destroy();
      client.destroy();
      return;
    }
    watch(upstream, () => client.destroy());
    client.on('close', () => upstream.destroy());
    upstream.pipe(client);
    const translate = translator(options, (statement) => {
      ours.add(client);
      seen.push(statement);
    });
    client.on('data', (chunk) => {
      for (const message of translate(chunk)) upstream.write(message);
    });
    client.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const breakConnections = (which: 'all' | 'backflow' = 'all') => {
    for (const socket of which === 'all' ? sockets : ours) socket.destroy();
  };
  return {
    port: address.port,
    statements() {
      const all = seen;
      seen = [];
      return all;
    },
    breakConnections,
    async stop() {
      breakConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function reach({ host, port, tls = false }: RedshiftProxyOptions): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  if (!tls) return socket;
  socket.write(SSL_REQUEST);
  const [answer] = await once(socket, 'data');
  const isOffered = Buffer.isBuffer(answer) && answer.toString('latin1') === 'S';
  return isOffered ? connectTls({ socket, servername: host, rejectUnauthorized: false }) : socket;
}

interface Started extends RedshiftSession {
  /** Whether Backflow opened it, and not a test. */
  readonly isOurs: boolean;
}

/** Cuts what a client sends into messages of the protocol and rewrites the statements in them. */
function translator(
  options: RedshiftProxyOptions,
  note: (statement: string) => void,
): (chunk: Buffer) => readonly Buffer[] {
  let rest = Buffer.alloc(0);
  let session: Started | undefined;

  const rewrite = (statement: string): string => {
    if (session === undefined) return statement;
    if (session.isOurs) note(statement);
    if (options.backslash === undefined) return statement;
    const intercepted = options.intercept?.(statement);
    if (intercepted === undefined) return rewriteForPostgres(statement, session);
    return 'run' in intercepted
      ? rewriteForPostgres(intercepted.run, session)
      : raise('EXCEPTION', intercepted.code, intercepted.message);
  };

  return (chunk) => {
    const messages: Buffer[] = [];
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The first messages have no type before their length.
      const head = session === undefined ? 0 : 1;
      if (rest.length < head + 4) return messages;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return messages;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (session === undefined) {
        if (message.readInt32BE(4) === STARTUP) session = startOf(message, options);
        messages.push(message);
        continue;
      }
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === 'Q') messages.push(framed('Q', rewrite(message.toString('utf8', 5, length - 1))));
      else if (type === 'P') messages.push(parseMessage(message, rewrite));
      else messages.push(message);
    }
  };
}

function startOf(message: Buffer, { backslash = 'literal' }: RedshiftProxyOptions): Started {
  const fields = message.toString('utf8', 8).split('\0');
  const field = (name: string): string => fields[fields.findIndex((one, at) => at % 2 === 0 && one === name) + 1] ?? '';
  return {
    database: field('database'),
    isOurs: field('application_name').startsWith('backflow/'),
    backslash,
    caseSensitive: false,
  };
}

function framed(type: string, text: string, tail: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(`${text}\0`, 'utf8'), tail]);
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Parse: the name of the prepared statement, its text, the types of its parameters. */
function parseMessage(message: Buffer, rewrite: (statement: string) => string): Buffer {
  const nameEnd = message.indexOf(0, 5);
  const textEnd = message.indexOf(0, nameEnd + 1);
  const text = rewrite(message.toString('utf8', nameEnd + 1, textEnd));
  const name = message.toString('utf8', 5, nameEnd);
  return framed('P', `${name}\0${text}`, message.subarray(textEnd + 1));
}

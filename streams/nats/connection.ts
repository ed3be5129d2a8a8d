import { readFileSync } from 'node:fs';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type ConnectionOptions, createInbox, type NatsConnection, type Status } from '@nats-io/nats-core';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import { type Observable, Subject } from 'rxjs';
import { capabilitiesOf, type ServerCapabilities } from './capabilities.ts';
import { Outbox, type OutgoingMessage } from './outbox.ts';
import { parseServerAddresses } from './server-address.ts';
import { StreamError, toStreamError } from './stream-error.ts';

export interface NatsOptions {
  /** `NATS_URL`: one or several with commas; user, password or token may stand in it. */
  readonly servers: string | readonly string[];
  /** Shown in the server's monitoring. */
  readonly name: string;
  /** A `.creds` file (`NATS_CREDS`); read again at every connect, so that it can be rotated. */
  readonly credsFile?: string;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly inboxPrefix?: string;
  /** Wait for the first connection for as long as it takes instead of failing. */
  readonly waitOnFirstConnect?: boolean;
  /** For one try to connect. */
  readonly connectTimeoutMs?: number;
  readonly reconnectWaitMs?: number;
}

/** What happens to a connection; `message` holds no credentials. */
export type LinkEvent =
  | { readonly type: 'disconnected' | 'reconnected' | 'lame-duck'; readonly server: string }
  | { readonly type: 'reconnecting' | 'stale' | 'closed' }
  | { readonly type: 'error'; readonly message: string };

/**
 * A connection to NATS that survives outages for ever. States: connected ⇄ disconnected (events tell), then closed for good
 * after `close()` or `drain()`.
 */
export interface NatsLink {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** Hot: events since the subscription; completes when the link is closed. */
  readonly events: Observable<LinkEvent>;
  readonly connected: () => boolean;
  /** Of the server that is (or was last) connected. */
  readonly capabilities: () => ServerCapabilities;
  /** Whether the server is one of a cluster: what one node says may then be behind what another has confirmed. */
  readonly clustered: () => boolean;
  /** A new subject for answers, below the configured prefix. */
  readonly inbox: () => string;
  /** Largest message, headers included, in bytes. */
  readonly maxPayload: () => number;
  /** Sends at the end of the turn, together with whatever else the turn sends. Never throws; see `OutgoingMessage`. */
  send(message: OutgoingMessage): void;
  /** Resolves when the server has handled everything sent before; rejects with `StreamError` when the connection broke meanwhile. */
  flush(): Promise<void>;
  /** Closes at once. Never rejects, never hangs. */
  close(): Promise<void>;
  /** Lets subscriptions finish and sends what is buffered, then closes; after `timeoutMs` it closes anyway. */
  drain(timeoutMs?: number): Promise<void>;
  /** Resolves when the link is closed; with the reason when it was not us. */
  readonly closed: Promise<Error | undefined>;
}

/** Connects to NATS. Errors: `cannot-connect`, `not-authorized`; they name the addresses, never the credentials. */
export async function connectNats(options: NatsOptions): Promise<NatsLink> {
  const addresses = parseServerAddresses(options.servers);
  const nc = await connect(connectionOptions(options)).catch((error: unknown) => {
    const typed = toStreamError(error, 'connect');
    const where = addresses.servers.join(', ');
    if (typed.code === 'not-authorized') {
      throw new StreamError('not-authorized', `NATS at ${where} refused the credentials`, { cause: error });
    }
    throw new StreamError('cannot-connect', `Cannot connect to NATS at ${where}: ${reason(error)}`, { cause: error });
  });
  const js = jetstream(nc);
  const jsm = await jetstreamManager(nc, { checkAPI: false });
  return createLink(nc, js, jsm, () => createInbox(options.inboxPrefix));
}

function connectionOptions(options: NatsOptions): ConnectionOptions {
  const { servers, user, pass, token, tls } = parseServerAddresses(options.servers);
  const { credsFile } = options;
  return {
    servers: [...servers],
    name: options.name,
    timeout: options.connectTimeoutMs ?? 5_000,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: options.waitOnFirstConnect ?? false,
    reconnectTimeWait: options.reconnectWaitMs ?? 250,
    reconnectJitter: options.reconnectWaitMs ?? 250,
    reconnectJitterTLS: options.reconnectWaitMs ?? 250,
    // A server that hangs is left after two pings without an answer, within 12 s (the default takes six minutes): about when another
    // replica takes over what this one held.
    pingInterval: 4_000,
    maxPingOut: 2,
    // Two refusals in a row would end the client for good; credentials may be repaired meanwhile.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(token === undefined ? {} : { token }),
    ...(credsFile === undefined ? {} : { authenticator: credsAuthenticator(() => readFileSync(credsFile)) }),
    ...(options.tls === undefined && !tls ? {} : { tls: { ...options.tls } }),
    ...(options.inboxPrefix === undefined ? {} : { inboxPrefix: options.inboxPrefix }),
  };
}

function createLink(nc: NatsConnection, js: JetStreamClient, jsm: JetStreamManager, inbox: () => string): NatsLink {
  const events = new Subject<LinkEvent>();
  const outbox = new Outbox(nc);
  const flushes = new Set<() => void>();
  let connected = true;
  let version = nc.info?.version ?? '';
  let maxPayload = nc.info?.max_payload ?? 1_048_576;
  let clustered = nc.info?.cluster !== undefined;

  // The client's status queue is unbounded: it is read from the first to the last, by nobody else.
  const watching = (async () => {
    for await (const status of nc.status()) {
      const event = toLinkEvent(status);
      if (event === undefined) continue;
      if (event.type === 'disconnected' || event.type === 'closed') connected = false;
      if (event.type === 'reconnected') {
        connected = true;
        version = nc.info?.version ?? version;
        maxPayload = nc.info?.max_payload ?? maxPayload;
        clustered = nc.info?.cluster !== undefined;
      }
      if (event.type !== 'closed') events.next(event);
    }
  })();
  const closed = nc.closed().then(async (error) => {
    connected = false;
    for (const onClosed of flushes) onClosed();
    await watching;
    events.next({ type: 'closed' });
    events.complete();
    return error instanceof Error ? error : undefined;
  });
  const close = async () => {
    outbox.flush();
    await nc.close().catch(() => undefined);
    await closed;
  };

  return {
    nc,
    js,
    jsm,
    events,
    connected: () => connected,
    capabilities: () => capabilitiesOf(version),
    clustered: () => clustered,
    inbox,
    maxPayload: () => maxPayload,
    send: (message) => outbox.send(message),
    flush: () =>
      new Promise((resolve, reject) => {
        // The client never settles a flush that stands open when the connection is closed.
        const onClosed = () =>
          reject(new StreamError('closed', 'The connection to NATS was closed before it answered'));
        flushes.add(onClosed);
        outbox.flush();
        nc.flush()
          .then(resolve, (error: unknown) => reject(toStreamError(error, 'flush')))
          .finally(() => flushes.delete(onClosed));
      }),
    close,
    drain: async (timeoutMs = 10_000) => {
      const timer = setTimeout(() => void close(), timeoutMs);
      outbox.flush();
      try {
        await Promise.race([nc.drain(), closed]);
      } catch {
        // Closed or already draining: closing is all that is left to do.
      } finally {
        clearTimeout(timer);
        await close();
      }
    },
    closed,
  };
}

function toLinkEvent(status: Status): LinkEvent | undefined {
  switch (status.type) {
    case 'disconnect':
      return { type: 'disconnected', server: status.server };
    case 'reconnect':
      return { type: 'reconnected', server: status.server };
    case 'ldm':
      return { type: 'lame-duck', server: status.server };
    case 'reconnecting':
      return { type: 'reconnecting' };
    case 'staleConnection':
      return { type: 'stale' };
    case 'error':
      return { type: 'error', message: status.error.message };
    case 'close':
      return { type: 'closed' };
    default:
      return undefined;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

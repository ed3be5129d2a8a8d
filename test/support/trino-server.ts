import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type ModelAnswer, ModelError, TrinoModel } from './trino-model.ts';

/** What a client did, as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Something that goes wrong with the next request that it fits; true: the answer has been given (or never will be). */
export type Fault = (request: SeenRequest, response: ServerResponse) => boolean;

export interface TrinoServerOptions {
  /** Statements need not wait in a queue: one page less for each. */
  readonly idle?: boolean;
  /** Rows in one page at the most. */
  readonly pageRows?: number;
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  readonly passwords?: Readonly<Record<string, string>>;
  /** Tokens that are taken at this moment. */
  readonly tokens?: Set<string>;
}

/** A server that speaks Trino's client protocol over a model. */
export interface TrinoServer {
  readonly model: TrinoModel;
  readonly port: number;
  /** All requests, oldest first. */
  readonly requests: SeenRequest[];
  /** Statements that have been carried out without an error, oldest first. */
  readonly executed: { readonly user: string; readonly source: string; readonly sql: string }[];
  /** Queries that a client has asked to stop. */
  readonly cancelled: string[];
  /** Each is tried on every request until it has struck once. */
  readonly faults: Fault[];
  /** Statements that this fits stay RUNNING until it is taken away. */
  holding: RegExp | undefined;
  /** A held statement that is cancelled is carried out all the same, as real ones may be. */
  appliesCancelled: boolean;
  breakConnections(): void;
  stop(): Promise<void>;
}

interface Query {
  readonly id: string;
  readonly sql: string;
  readonly user: string;
  readonly source: string;
  readonly readOnly: boolean;
  answer?: ModelAnswer;
  error?: ModelError;
}

export async function startTrinoServer(options: TrinoServerOptions = {}): Promise<TrinoServer> {
  const { pageRows = 1000, tls } = options;
  const queries = new Map<string, Query>();
  const sockets = new Set<Socket>();
  const model = new TrinoModel();
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    let body = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (text: string) => {
      body += text;
    });
    incoming.on('end', () => {
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([key, value]) => [key, String(value)]));
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers, body };
      server.requests.push(request);
      const struck = server.faults.findIndex((fault) => fault(request, response));
      if (struck >= 0) server.faults.splice(struck, 1);
      else if (mayIn(request, incoming)) answer(request, response);
      else
        response
          .writeHead(401, { 'Content-Type': 'text/plain', 'WWW-Authenticate': 'Basic realm="Trino"' })
          .end('Unauthorized');
    });
  };
  const http =
    tls === undefined
      ? createServer(listener)
      : createTlsServer(
          {
            ...tls,
            ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: false }),
          },
          listener,
        );
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  };
  http.on('connection', track);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', () => resolve()));
  const port = portOf(http.address());

  function mayIn({ headers }: SeenRequest, { socket }: IncomingMessage): boolean {
    const user = headers['x-trino-user'] ?? '';
    const { authorization = '' } = headers;
    const asked = options.passwords !== undefined || options.tokens !== undefined || tls?.clientCa !== undefined;
    if (user === '' || !asked) return user !== '';
    if (authorization.startsWith('Bearer ')) return options.tokens?.has(authorization.slice(7)) === true;
    if (authorization.startsWith('Basic ')) {
      const [name = '', ...rest] = Buffer.from(authorization.slice(6), 'base64').toString('utf8').split(':');
      return name === user && options.passwords?.[name] === rest.join(':');
    }
    return tls?.clientCa !== undefined && isAuthorized(socket);
  }

  function answer(request: SeenRequest, response: ServerResponse): void {
    const { method, path, headers, body } = request;
    if (method === 'POST' && path === '/v1/statement') {
      if (body.trim() === '') {
        response.writeHead(400).end('SQL statement is empty');
        return;
      }
      const id = `q${queries.size + 1}`;
      queries.set(id, {
        id,
        sql: body,
        user: headers['x-trino-user'] ?? '',
        source: headers['x-trino-source'] ?? '',
        readOnly: headers['x-trino-transaction-id'] === 'tx-1',
      });
      page(response, {
        id,
        nextUri: uri(options.idle === true ? 'executing' : 'queued', id, 0),
        stats: { state: 'QUEUED' },
      });
      return;
    }
    const [, phase, id = '', at = ''] =
      /^\/v1\/statement\/(queued|executing)\/([^/]+)\/(\d+)\?slug=x$/.exec(path) ?? [];
    const query = queries.get(id);
    if (query === undefined) {
      response.writeHead(404).end('Query not found');
      return;
    }
    if (method === 'DELETE') {
      server.cancelled.push(query.sql);
      if (server.appliesCancelled) carryOut(query);
      query.error ??= new ModelError('USER_CANCELED', 'Query was canceled');
      response.writeHead(204).end();
      return;
    }
    if (phase === 'queued') {
      page(response, { id, nextUri: uri('executing', id, 0), stats: { state: 'QUEUED' } });
      return;
    }
    if (server.holding?.test(query.sql) === true && query.error === undefined) {
      setTimeout(() => page(response, { id, nextUri: uri('executing', id, 0), stats: { state: 'RUNNING' } }), 5);
      return;
    }
    carryOut(query);
    if (query.error !== undefined) {
      failed(response, id, query.error);
      return;
    }
    const rows = query.answer?.rows ?? [];
    const start = Number(at) * pageRows;
    const more = start + pageRows < rows.length;
    page(
      response,
      {
        id,
        columns: (rows[0] ?? []).map((_, i) => ({ name: `_col${i}`, type: 'varchar' })),
        ...(rows.length === 0 ? {} : { data: rows.slice(start, start + pageRows) }),
        ...(more ? { nextUri: uri('executing', id, Number(at) + 1) } : {}),
        stats: { state: more ? 'RUNNING' : 'FINISHED' },
      },
      query.answer?.headers,
    );
  }

  /** Once, however often its first page is asked for. */
  function carryOut(query: Query): void {
    if (query.answer !== undefined || query.error !== undefined) return;
    try {
      query.answer = model.run(query.sql, query);
      server.executed.push(query);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      query.error = error;
    }
  }

  /** A host that does not exist: servers behind a proxy name themselves as they know themselves. */
  function uri(phase: string, id: string, at: number): string {
    return `http://trino.internal:8080/v1/statement/${phase}/${id}/${at}?slug=x`;
  }

  const server: TrinoServer = {
    model,
    port,
    requests: [],
    executed: [],
    cancelled: [],
    faults: [],
    holding: undefined,
    appliesCancelled: false,
    breakConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      server.breakConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

/** A page of a statement; also for faults. */
export function page(response: ServerResponse, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The last page of a statement that failed: HTTP 200 all the same. */
export function failed(response: ServerResponse, id: string, { errorName, errorType, message }: ModelError): void {
  const error = { message, errorCode: 1, errorName, errorType, failureInfo: { type: 'io.trino.spi.TrinoException' } };
  page(response, { id, error, stats: { state: 'FAILED' } });
}

function isAuthorized(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.authorized;
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

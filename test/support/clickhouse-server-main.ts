import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Session } from 'chdb';
import type { Order, StartOrder } from './clickhouse-orders.ts';

/**
 * A process of its own around the real engine (`chdb`): ClickHouse's HTTP interface as far as its client uses it. The engine runs inside
 * of the process and knows one account only; so accounts, passwords and which role an account has are looked after here, and the
 * engine's own access control decides by that role. What the wrapped engine lacks is added: one statement per request, settings out of
 * the address, and, for ON CLUSTER, a cluster of this one server.
 */
type Engine = Pick<Session, 'query' | 'close'>;

class EngineError extends Error {
  readonly code: string;
  constructor(message: string) {
    super(message.replace(/^Query failed: /, ''));
    this.code = /Code: (\d+)\./.exec(message)?.[1] ?? '1002';
  }
}

function run(engine: Engine, sql: string): string {
  try {
    return engine.query(sql, 'TabSeparated');
  } catch (error) {
    throw new EngineError(error instanceof Error ? error.message : String(error));
  }
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** The engine's own parser: one statement in its canonical form. The embedded engine itself would run several, as the server never does. */
function canonical(engine: Engine, statement: string): string {
  const long = statement.length > 100_000;
  if (long) run(engine, 'SET max_query_size = 10000000');
  try {
    return run(engine, `SELECT formatQuerySingleLine(unhex('${hex(statement)}')) FORMAT TSVRaw`);
  } finally {
    if (long) run(engine, 'SET max_query_size = DEFAULT');
  }
}

const RESERVED = new Set([
  'database',
  'query',
  'query_id',
  'session_id',
  'role',
  'default_format',
  'wait_end_of_query',
]);

function serve(order: StartOrder, engine: Engine): void {
  const accounts = new Map(order.accounts.map((account) => [account.user, account]));
  const journal: string[] = [];
  const sockets = new Set<Socket>();
  const held = new Set<string>();
  let waiting: (() => void)[] = [];

  // The engine has one session: what is set stays, and is set again only when it differs.
  const session = new Map<string, string>();
  const set = (name: string, value: string): void => {
    if (session.get(name) === value) return;
    session.delete(name);
    run(engine, name === 'ROLE' ? `SET ROLE ${value}` : `SET ${name} = '${value.replaceAll(/['\\]/g, '\\$&')}'`);
    session.set(name, value);
  };

  const answer = (response: ServerResponse, statement: string, url: URL, role: string, user: string): void => {
    set('ROLE', role);
    for (const [name, value] of url.searchParams) if (!RESERVED.has(name) && /^\w+$/.test(name)) set(name, value);
    if (user === 'admin') return void response.end(run(engine, statement));
    const form = /^\s*insert/i.test(statement) ? statement : canonical(engine, statement);
    journal.push(statement);
    const onCluster = /^(ALTER (?:TABLE|DATABASE) [\w.]+) ON CLUSTER (\w+) /.exec(form);
    if (onCluster === null) return void response.end(run(engine, statement));
    if (onCluster[2] !== order.cluster)
      throw new EngineError(
        `Code: 701. DB::Exception: Requested cluster '${onCluster[2]}' not found. (CLUSTER_DOESNT_EXIST)`,
      );
    run(engine, `${onCluster[1]} ${form.slice(onCluster[0].length)}`);
    response.end('localhost\t9000\t0\t\t0\t0\n');
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) body += chunk;
    const [user = '', ...rest] = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const account = accounts.get(user);
    response.setHeader('X-ClickHouse-Query-Id', url.searchParams.get('query_id') ?? '');
    try {
      if (account === undefined || account.password !== rest.join(':')) {
        throw new EngineError(
          `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
        );
      }
      while (user !== 'admin' && [...held].some((text) => body.includes(text))) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        // Like the server, which drops what waits for a lock when its client has gone.
        if (response.destroyed) return;
      }
      answer(response, body, url, account.role, user);
    } catch (error) {
      const code = error instanceof EngineError ? error.code : '1002';
      response.statusCode =
        code === '516' || code === '497' ? 403 : code === '60' || code === '81' ? 404 : code === '62' ? 400 : 500;
      response.setHeader('X-ClickHouse-Exception-Code', code);
      response.end(`${error instanceof Error ? error.message : String(error)} (version 26.7.2.1)`);
    }
  };

  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  const server = createServer((request, response) => {
    response.on('close', wake);
    void handle(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });

  process.on('message', (message: Order) => {
    let reply: readonly string[] = [];
    if (message.kind === 'journal') reply = journal.splice(0);
    else if (message.kind === 'break') for (const socket of sockets) socket.destroy();
    else if (message.kind === 'hold') held.add(message.text);
    else if (message.kind === 'release') {
      held.delete(message.text);
      wake();
    } else if (message.kind === 'stop') {
      engine.close();
      process.exit(0);
    }
    process.send?.({ id: message.id, reply });
  });
  // Whoever started this has gone.
  process.on('disconnect', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => {
    const { port }: Partial<AddressInfo> = Object(server.address());
    process.send?.({ id: order.id, reply: [String(port)] });
  });
}

process.once('message', (order: StartOrder) => {
  const engine = new Session(order.data, { connectionArgs: [`--config-file=${order.config}`] });
  // Speed instead of durability.
  run(engine, 'SET fsync_metadata = 0');
  serve(order, engine);
});

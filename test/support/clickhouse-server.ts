import { type ChildProcess, fork } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import type { Order, StartOrder } from './clickhouse-orders.ts';

type OrderWithoutId = Order extends infer One ? (One extends Order ? Omit<One, 'id'> : never) : never;

export interface ClickhouseServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** An account that may do everything, and its client. */
  readonly admin: ClickHouseClient;
  readonly adminPassword: string;
  /** The statements of all other accounts since the last call, without SELECTs and the like. */
  journal(): Promise<readonly string[]>;
  breakConnections(): Promise<void>;
  /** Statements of other accounts that hold the text wait until the returned function is called. */
  hold(text: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export interface ClickhouseServerOptions {
  /** Accounts beside `admin`, each with what GRANT gives to its role: `SELECT ON app.*`. */
  readonly accounts?: readonly {
    readonly user: string;
    readonly password: string;
    readonly grants: readonly string[];
  }[];
}

/** The cluster that the test server belongs to, alone. */
export const TEST_CLUSTER = 'alone';
const ADMIN_PASSWORD = 'the admin';

/** The real engine behind ClickHouse's HTTP interface, in a process and a temporary folder of its own. */
export async function startClickhouse({ accounts = [] }: ClickhouseServerOptions = {}): Promise<ClickhouseServer> {
  const folder = await mkdtemp(join(await parentFolder(), 'backflow-clickhouse-'));
  const all = [{ user: 'admin', password: ADMIN_PASSWORD, grants: ['ALL ON *.* WITH GRANT OPTION'] }, ...accounts].map(
    (account, index) => ({ ...account, role: `role_${index}` }),
  );
  const users = join(folder, 'users.xml');
  const config = join(folder, 'config.xml');
  await mkdir(join(folder, 'data'));
  await writeFile(users, usersXml(all));
  await writeFile(config, configXml(users));
  const child = fork(new URL('./clickhouse-server-main.ts', import.meta.url), {
    cwd: folder,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const order = commander(child);
  const start: Omit<StartOrder, 'id'> = { data: join(folder, 'data'), config, accounts: all, cluster: TEST_CLUSTER };
  const [port] = await order(start).catch(async (error) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const admin = createClient({ url: `http://127.0.0.1:${port}`, username: 'admin', password: ADMIN_PASSWORD });
  const tell = (one: OrderWithoutId) => order(one);
  return {
    host: '127.0.0.1',
    port: Number(port),
    admin,
    adminPassword: ADMIN_PASSWORD,
    async journal() {
      const statements = await tell({ kind: 'journal' });
      return statements.filter((statement) => !/^\s*(SELECT|CHECK)\b/i.test(statement));
    },
    async breakConnections() {
      await tell({ kind: 'break' });
    },
    async hold(text) {
      await tell({ kind: 'hold', text });
      return async () => {
        await tell({ kind: 'release', text });
      };
    },
    async stop() {
      await admin.close();
      const ended = child.exitCode === null ? new Promise((resolve) => child.once('exit', resolve)) : undefined;
      if (child.connected) tell({ kind: 'stop' }).catch(() => undefined);
      else child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In memory where that can be had. */
async function parentFolder(): Promise<string> {
  try {
    await access('/dev/shm', constants.W_OK | constants.X_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}

/** Sends orders to the process and waits for the answers. */
function commander(child: ChildProcess): (order: object) => Promise<readonly string[]> {
  let last = 0;
  const open = new Map<number, { resolve(reply: readonly string[]): void; reject(error: Error): void }>();
  child.on('message', (message: { readonly id: number; readonly reply: readonly string[] }) => {
    open.get(message.id)?.resolve(message.reply);
    open.delete(message.id);
  });
  child.on('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`the ClickHouse test server ended (${code})`));
    open.clear();
  });
  return (order) =>
    new Promise((resolve, reject) => {
      last += 1;
      open.set(last, { resolve, reject });
      child.send({ ...order, id: last });
    });
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');

function usersXml(accounts: readonly { readonly role: string; readonly grants: readonly string[] }[]): string {
  const query = (grant: string): string => `<query>GRANT ${xml(grant)}</query>`;
  const roles = accounts.map(({ role, grants }) => `<${role}><grants>${grants.map(query).join('')}</grants></${role}>`);
  return `<clickhouse>
  <users><default><password></password><profile>default</profile><quota>default</quota><networks><ip>::/0</ip></networks>
    <grants>${accounts.map(({ role }) => query(role)).join('')}</grants></default></users>
  <roles>${roles.join('')}</roles>
  <profiles><default></default></profiles><quotas><default></default></quotas>
</clickhouse>`;
}

/** The server is the only one of its cluster, and knows that it is: so it asks itself without a network. */
function configXml(users: string): string {
  return `<clickhouse>
  <user_directories><users_xml><path>${users}</path></users_xml></user_directories>
  <tcp_port>9000</tcp_port>
  <remote_servers><${TEST_CLUSTER}><shard><replica><host>localhost</host><port>9000</port></replica></shard></${TEST_CLUSTER}></remote_servers>
</clickhouse>`;
}

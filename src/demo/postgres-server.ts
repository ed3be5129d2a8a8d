import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PostgresServerError, runnableBinaries, type ServerIdentity, serverIdentity } from './postgres-binaries.ts';

export interface PostgresServerOptions {
  /** Superuser; default `postgres`. */
  readonly user?: string;
  /** Default: a random one. */
  readonly password?: string;
  /** Keep fsync on. Off by default: the data is thrown away with the server. */
  readonly durable?: boolean;
  /** Further settings of the server (`standard_conforming_strings: 'off'`). */
  readonly settings?: Readonly<Record<string, string>>;
  /** PEM texts; the server then takes TLS connections as well as plain ones. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Receives everything that the server writes to its log. */
  readonly onLog?: (text: string) => void;
}

/** A real PostgreSQL on 127.0.0.1 that runs as a child of this process, with its data in a temporary folder of its own. */
export interface PostgresServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Process id of the postmaster; undefined while it is not running. */
  readonly pid: number | undefined;
  /** Connection string for drivers and `psql`. */
  url(database?: string): string;
  /** OpenMetadata's connection JSON for this server. */
  connection(database?: string): {
    readonly type: 'Postgres';
    readonly hostPort: string;
    readonly username: string;
    readonly authType: { readonly password: string };
    readonly database: string;
  };
  /** What the server has written to its log so far (the last 64 KiB). */
  log(): string;
  /** Immediate shutdown without a checkpoint, as in a crash; the data stays for `restart`. */
  crash(): Promise<void>;
  /** Starts again on the same port and data after `crash`. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. May be called again. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_LIMIT = 64 * 1024;

/** Makes a new cluster and starts it. Errors: `PostgresServerError`. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const identity = await serverIdentity();
  const binaries = await runnableBinaries(identity);
  const user = options.user ?? 'postgres';
  const password = options.password ?? randomBytes(12).toString('hex');
  const folder = await mkdtemp(path.join(tmpdir(), 'backflow-pg-'));
  const data = path.join(folder, 'data');
  try {
    await initialise(binaries, identity, { folder, data, user, password });
    const settings = options.tls === undefined ? {} : await placeCertificate(folder, identity, options.tls);
    const cluster = new Cluster(binaries, identity, data, {
      ...options,
      settings: { ...settings, ...options.settings },
    });
    await cluster.startOnFreePort();
    return serverOf(cluster, folder, user, password);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function serverOf(cluster: Cluster, folder: string, user: string, password: string): PostgresServer {
  const host = '127.0.0.1';
  return {
    host,
    user,
    password,
    get port() {
      return cluster.port;
    },
    get pid() {
      return cluster.pid;
    },
    url: (database = 'postgres') =>
      `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${cluster.port}/${encodeURIComponent(database)}`,
    connection: (database = 'postgres') => ({
      type: 'Postgres',
      hostPort: `${host}:${cluster.port}`,
      username: user,
      authType: { password },
      database,
    }),
    log: () => cluster.log,
    crash: () => cluster.end('SIGQUIT'),
    restart: () => cluster.start(),
    stop: async () => {
      await cluster.end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface NewCluster {
  readonly folder: string;
  readonly data: string;
  readonly user: string;
  readonly password: string;
}

async function initialise(binaries: string, identity: ServerIdentity, cluster: NewCluster): Promise<void> {
  const passwordFile = path.join(cluster.folder, 'password');
  await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
  await giveTo(identity, cluster.folder, passwordFile);
  const child = spawn(
    path.join(binaries, 'bin', 'initdb'),
    [
      `--pgdata=${cluster.data}`,
      `--username=${cluster.user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...identity, cwd: '/', env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  await rm(passwordFile, { force: true });
  if (code !== 0) throw new PostgresServerError('initdb-failed', `initdb ended with code ${code}:\n${output}`);
}

async function giveTo({ uid, gid }: ServerIdentity, ...files: readonly string[]): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  for (const file of files) await chown(file, uid, gid);
}

async function placeCertificate(
  folder: string,
  identity: ServerIdentity,
  tls: { readonly cert: string; readonly key: string },
): Promise<Readonly<Record<string, string>>> {
  const [cert, key] = [path.join(folder, 'server.crt'), path.join(folder, 'server.key')];
  await writeFile(cert, tls.cert, { mode: 0o600 });
  await writeFile(key, tls.key, { mode: 0o600 });
  await giveTo(identity, cert, key);
  return { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key };
}

/** Settings for clients (`PGHOST` …) must not leak into the server; messages are matched, so they stay in English. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
}

/** One data folder and the postmaster that runs on it, if any. */
class Cluster {
  port = 0;
  log = '';
  #child: ChildProcess | undefined;
  readonly #binaries: string;
  readonly #identity: ServerIdentity;
  readonly #data: string;
  readonly #options: PostgresServerOptions;

  constructor(binaries: string, identity: ServerIdentity, data: string, options: PostgresServerOptions) {
    this.#binaries = binaries;
    this.#identity = identity;
    this.#data = data;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Between finding a free port and using it somebody else can take it; then another one is tried. */
  async startOnFreePort(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.port = await freePort();
      try {
        return await this.start();
      } catch (error) {
        if (attempt >= 5 || !this.log.includes('Address already in use')) throw error;
        this.log = '';
      }
    }
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      ...(this.#options.durable === true ? {} : { fsync: 'off', full_page_writes: 'off' }),
      ...this.#options.settings,
    };
    const child = spawn(
      path.join(this.#binaries, 'bin', 'postgres'),
      ['-D', this.#data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...this.#identity, cwd: '/', env: plainEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child = child;
    const killWithUs = () => child.kill('SIGQUIT');
    process.once('exit', killWithUs);
    child.once('close', () => {
      process.removeListener('exit', killWithUs);
      if (this.#child === child) this.#child = undefined;
    });
    await this.#untilReady(child);
  }

  #untilReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (what: string) => {
        clearTimeout(timer);
        reject(new PostgresServerError('postgres-did-not-start', `PostgreSQL ${what}:\n${this.log}`));
      };
      const timer = setTimeout(() => {
        child.kill('SIGQUIT');
        fail(`was not ready within ${START_TIMEOUT_MS / 1000} s`);
      }, START_TIMEOUT_MS);
      child.once('error', (error) => fail(`could not be started (${error.message})`));
      child.once('close', (code) => fail(`ended with code ${code} while starting`));
      let seen = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        this.log = (this.log + chunk).slice(-LOG_LIMIT);
        seen = (seen + chunk).slice(-4096);
        this.#options.onLog?.(chunk);
        if (!seen.includes('database system is ready to accept connections')) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const closed = once(child, 'close');
    child.kill(signal);
    const harder = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(harder);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') {
    throw new PostgresServerError('no-free-port', 'The system named no free port on 127.0.0.1.');
  }
  return address.port;
}

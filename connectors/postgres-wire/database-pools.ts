import { createRequire } from 'node:module';
import type { ConnectionOptions } from 'node:tls';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import { refuseLostLane } from '../lane-lost.ts';
import type { WireConfig } from './connection-json.ts';
import type { ErrorReader } from './error-reader.ts';
import { applicationName } from './session-name.ts';

/** One session of a database, for the time of one piece of work. */
export type Session = PoolClient;

/** Databases of one target that have open connections at a time. */
const MAX_DATABASES = 8;
const CONNECTIONS_PER_DATABASE = 2;
const IDLE_MS = 30_000;

/** What differs between the systems that speak this protocol. */
export interface PoolRules {
  readonly errors: ErrorReader;
  /** How long connecting may take, in milliseconds. */
  readonly connectMs: number;
  /** Above the server's own statement timeout: it only ends the wait for a peer that is gone without a word. In milliseconds. */
  readonly answerMs: number;
  /** A password that is asked for anew with each connection; takes the place of the configuration's. */
  readonly password?: () => Promise<string>;
  /** Pins the modes of a new session before anything else runs on it. */
  setUp?(session: ClientBase): Promise<void>;
}

interface Entry {
  pool: Pool;
  users: number;
}

/**
 * One small pool for each database of the target, opened on demand. Idle connections close by themselves; when there are
 * too many databases, the one whose last use is longest ago makes room. Map order is the order of use.
 */
export class DatabasePools {
  readonly #config: WireConfig;
  readonly #session: SessionName;
  readonly #rules: PoolRules;
  readonly #driver: typeof import('pg');
  readonly #entries = new Map<string, Entry>();
  #waiting: (() => void)[] = [];
  #encrypt: boolean;
  #closed: Promise<void> | undefined;

  constructor(config: WireConfig, session: SessionName, rules: PoolRules) {
    this.#config = config;
    this.#rules = rules;
    this.#session = session;
    this.#encrypt = config.sslMode !== 'disable';
    // Loaded when first needed, and by `require`: that is where tracing hooks into the driver.
    this.#driver = createRequire(import.meta.url)('pg');
  }

  /**
   * Runs the work on a session of this database and takes the session back. One that failed for more than one object's sake is
   * thrown away. Throws `ConnectorError` only.
   */
  async with<T>(database: string, work: (session: Session) => Promise<T>): Promise<T> {
    const entry = await this.#use(database);
    try {
      const session = await this.#connect(database, entry);
      try {
        refuseLostLane(this.#session);
        const value = await work(session);
        session.release();
        return value;
      } catch (cause) {
        const error = this.#rules.errors.connectorErrorOf(cause, 'statement');
        session.release(error.scope === 'target' || error.code === '08P01' || error.code === 'unexpected');
        throw error;
      }
    } finally {
      entry.users -= 1;
      this.#waiting.splice(0).forEach((wake) => {
        wake();
      });
    }
  }

  /** Ends all connections once their work is done. May be called again. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      const pools = [...this.#entries.values()].map(({ pool }) => pool.end());
      this.#entries.clear();
      await Promise.all(pools);
    })();
    return this.#closed;
  }

  async #use(database: string): Promise<Entry> {
    for (;;) {
      if (this.#closed !== undefined) {
        const message = 'The connection was closed.';
        throw new ConnectorError({ class: 'transient', scope: 'target', code: 'closed', message });
      }
      const entry = this.#entries.get(database) ?? this.#add(database);
      if (entry !== undefined) {
        this.#entries.delete(database);
        this.#entries.set(database, entry);
        entry.users += 1;
        return entry;
      }
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  /** Undefined: every database that is open is in use. */
  #add(database: string): Entry | undefined {
    if (this.#entries.size >= MAX_DATABASES) {
      const oldest = [...this.#entries].find(([, { users }]) => users === 0);
      if (oldest === undefined) return undefined;
      this.#entries.delete(oldest[0]);
      void oldest[1].pool.end();
    }
    return { pool: this.#newPool(database), users: 0 };
  }

  async #connect(database: string, entry: Entry): Promise<Session> {
    try {
      return await entry.pool.connect();
    } catch (cause) {
      if (!this.#mayGoPlain(cause)) {
        const own = database === this.#config.database;
        throw this.#rules.errors.connectorErrorOf(cause, own ? 'connect' : 'connect-other-database');
      }
      this.#encrypt = false;
      void entry.pool.end();
      entry.pool = this.#newPool(database);
      return this.#connect(database, entry);
    }
  }

  /** `allow` and `prefer` take what the server offers. */
  #mayGoPlain(cause: unknown): boolean {
    const { sslMode } = this.#config;
    const lenient = sslMode === 'prefer' || sslMode === 'allow';
    return lenient && this.#encrypt && cause instanceof Error && cause.message.includes('does not support SSL');
  }

  #newPool(database: string): Pool {
    const { host, port, user } = this.#config;
    const { setUp, connectMs, answerMs, password = this.#config.password } = this.#rules;
    const pool = new this.#driver.Pool({
      host,
      port,
      user,
      database,
      ...(password === undefined ? {} : { password }),
      ssl: this.#encrypt ? tlsOptions(this.#config) : false,
      application_name: applicationName(this.#session),
      max: CONNECTIONS_PER_DATABASE,
      idleTimeoutMillis: IDLE_MS,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      allowExitOnIdle: true,
      ...(setUp === undefined ? {} : { onConnect: setUp }),
    });
    // Without listeners a connection that breaks while nothing runs on it would end the process. The pool drops it by itself.
    const ignore = () => {};
    pool.on('error', ignore);
    pool.on('connect', (client) => client.on('error', ignore));
    return pool;
  }
}

/** libpq's meaning of the modes: `require` verifies only when a CA is given, `verify-ca` does not look at the host name. */
function tlsOptions({ sslMode, ssl }: WireConfig): ConnectionOptions {
  const verify = sslMode.startsWith('verify-') || (sslMode === 'require' && ssl.ca !== undefined);
  return {
    ...ssl,
    rejectUnauthorized: verify,
    ...(sslMode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

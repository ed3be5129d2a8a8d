import type { ConnectionPool } from 'mssql';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import { refuseLostLane } from '../lane-lost.ts';
import type { MssqlConfig } from './config.ts';
import { type Driver, driverConfig, loadDriver } from './driver.ts';
import { connectorErrorOf } from './errors.ts';
import { Session } from './session.ts';

/** Databases of one target that have open connections at a time. */
const MAX_DATABASES = 8;
/** Where a login that is for the whole server starts. */
const SERVER_DATABASE = 'master';

interface Entry {
  readonly pool: ConnectionPool;
  readonly loginNumbers: number[];
  users: number;
}

/**
 * One small pool for each database of the target, opened on demand: Azure SQL has no USE. Idle connections close by themselves; when
 * there are too many databases, the one whose last use is longest ago makes room. Map order is the order of use.
 */
export class DatabasePools {
  readonly #config: MssqlConfig;
  readonly #name: SessionName;
  readonly #driver: Driver;
  readonly #entries = new Map<string, Entry>();
  #waiting: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  constructor(config: MssqlConfig, name: SessionName) {
    this.#config = config;
    this.#name = name;
    this.#driver = loadDriver();
  }

  /** The database that every target can be asked in. */
  get home(): string {
    return this.#config.database ?? SERVER_DATABASE;
  }

  /** Runs the work on the sessions of this database. Throws `ConnectorError` only. */
  async with<T>(database: string, work: (session: Session) => Promise<T>): Promise<T> {
    const entry = await this.#use(database);
    const phase = database === this.home ? 'connect' : 'connect-other-database';
    try {
      await this.#connect(entry, phase);
      // A pool opens further connections later on, and those too can be refused.
      const classify = (error: unknown) =>
        isLoginError(error) ? connectorErrorOf(error, phase, entry.loginNumbers) : connectorErrorOf(error, 'statement');
      return await work(new Session(this.#driver, entry.pool, classify));
    } catch (error) {
      throw connectorErrorOf(error, 'statement');
    } finally {
      entry.users -= 1;
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  /** Ends all connections once their work is done. May be called again. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      const entries = [...this.#entries.values()];
      this.#entries.clear();
      for (const wake of this.#waiting.splice(0)) wake();
      await Promise.all(entries.map(({ pool }) => pool.close()));
    })();
    return this.#closed;
  }

  async #connect(entry: Entry, phase: 'connect' | 'connect-other-database'): Promise<void> {
    if (entry.pool.connected) return;
    try {
      await entry.pool.connect();
    } catch (cause) {
      for (const [database, one] of this.#entries) if (one === entry) this.#entries.delete(database);
      throw connectorErrorOf(cause, phase, entry.loginNumbers);
    }
    refuseLostLane(this.#name);
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
      void oldest[1].pool.close();
    }
    const loginNumbers: number[] = [];
    const config = driverConfig(this.#config, database, this.#name, loginNumbers);
    const pool = new this.#driver.ConnectionPool(config);
    // Without a listener a connection that breaks while nothing runs on it would end the process. The pool drops it by itself.
    pool.on('error', () => {});
    return { pool, loginNumbers, users: 0 };
  }
}

function isLoginError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ELOGIN';
}

import type { ObjectRef } from '../../src/domain/operation.ts';
import { byDatabase } from '../by-database.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport, Connection, PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import type { WireConfig } from './connection-json.ts';
import type { DatabasePools, Session } from './database-pools.ts';
import { type Missing, missingFailure, missingObject } from './missing.ts';

/** Why there is no such database for us. */
type MissingDatabase = Extract<Missing, `database-${string}`>;

/** What differs between the systems that speak this protocol. Each work gets a session of the database that it is about. */
export interface WireSystem {
  /** Bytes that the name of a database has at the most. */
  readonly nameBytes: number;
  read(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]>;
  write(session: Session, writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]>;
  check(objects: readonly ObjectRef[]): Promise<CheckReport>;
  /** Runs once, before anything is read or written: what is read must not be changed afterwards by an earlier owner of the lane. */
  beforeFirstUse?(session: Session): Promise<void>;
  /** Why a database is closed to us, as seen from the configured one; undefined: it is open, or does not exist. */
  closedDatabase?(session: Session, database: string): Promise<MissingDatabase | undefined>;
}

/** Connects once, so that wrong credentials and addresses show at once. Throws `ConnectorError`; the pools are closed then. */
export async function openWire(config: WireConfig, pools: DatabasePools, system: WireSystem): Promise<Connection> {
  try {
    await pools.with(config.database, async (session) => {
      await session.query('SELECT 1');
    });
  } catch (error) {
    await pools.close();
    throw error;
  }
  return new WireConnection(config, pools, system);
}

/** Sorts what it is given by database and runs each group over that database's own sessions. */
class WireConnection implements Connection {
  readonly #config: WireConfig;
  readonly #pools: DatabasePools;
  readonly #system: WireSystem;
  #prepared = false;

  constructor(config: WireConfig, pools: DatabasePools, system: WireSystem) {
    this.#config = config;
    this.#pools = pools;
    this.#system = system;
  }

  check(objects: readonly ObjectRef[]): Promise<CheckReport> {
    return this.#system.check(objects);
  }

  async read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
    const sources: SourceObject[] = [];
    for (const [database, places] of byDatabase(objects, (object) => object)) {
      const group = places.map(({ item }) => item);
      const found = await this.#inDatabase(database, async (session) => {
        await this.#prepare(session);
        return this.#system.read(session, group);
      });
      for (const [index, { place }] of places.entries()) {
        sources[place] =
          typeof found === 'string' ? missingObject(found) : (found[index] ?? missingObject('object-missing'));
      }
    }
    return sources;
  }

  async apply(writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
    const results: WriteResult[] = [];
    for (const [database, places] of byDatabase(writes, ({ operation }) => operation.object)) {
      const group = places.map(({ item }) => item);
      const written = await this.#inDatabase(database, async (session) => {
        await this.#prepare(session);
        return this.#system.write(session, group);
      });
      if (typeof written !== 'string') results.push(...written);
      else {
        const failure = missingFailure(missingObject(written));
        results.push(...group.map(({ id }) => ({ id, ok: false as const, failure })));
      }
    }
    return results;
  }

  close(): Promise<void> {
    return this.#pools.close();
  }

  async #prepare(session: Session): Promise<void> {
    if (this.#prepared) return;
    await this.#system.beforeFirstUse?.(session);
    this.#prepared = true;
  }

  /** The answer of the work, or why there is no such database for us. */
  async #inDatabase<T extends object>(
    database: string,
    work: (session: Session) => Promise<T>,
  ): Promise<T | MissingDatabase> {
    if (database !== this.#config.database) {
      if (!this.#config.allDatabases) return 'database-not-covered';
      // Neither can be the name of a database; the driver would cut or change them.
      if (database === '' || database.includes('\0') || !database.isWellFormed()) return 'database-missing';
      if (Buffer.byteLength(database) > this.#system.nameBytes) return 'database-missing';
    }
    const { closedDatabase } = this.#system;
    if (closedDatabase !== undefined) {
      const closed = await this.#pools.with(this.#config.database, (session) => closedDatabase(session, database));
      if (closed !== undefined) return closed;
    }
    try {
      return await this.#pools.with(database, work);
    } catch (error) {
      // Of one database among many only its own objects are concerned; inside the work every object failure is a result.
      if (error instanceof ConnectorError && error.scope === 'object') {
        if (error.code === '3D000') return 'database-missing';
        if (error.code === '42501') return 'database-forbidden';
      }
      throw error;
    }
  }
}

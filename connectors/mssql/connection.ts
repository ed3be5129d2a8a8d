import type { ObjectRef } from '../../src/domain/operation.ts';
import { byDatabase } from '../by-database.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport, Connection, PlannedWrite, SessionName, SourceObject, WriteResult } from '../contract.ts';
import { checkServer } from './check.ts';
import type { MssqlConfig } from './config.ts';
import { DatabasePools } from './database-pools.ts';
import { endOlderSessions } from './fence.ts';
import { type Missing, missingFailure, missingObject } from './missing.ts';
import { readObjects } from './read.ts';
import type { Session } from './session.ts';
import { writeAll } from './write.ts';

/** Connects once, so that wrong credentials and addresses show at once. Throws `ConnectorError`. */
export async function openMssql(config: MssqlConfig, name: SessionName): Promise<Connection> {
  const pools = new DatabasePools(config, name);
  try {
    await pools.with(pools.home, (session) => session.ask('SELECT 1 AS one', []));
  } catch (error) {
    await pools.close();
    throw error;
  }
  return new MssqlConnection(config, name, pools);
}

class MssqlConnection implements Connection {
  readonly #config: MssqlConfig;
  readonly #name: SessionName;
  readonly #pools: DatabasePools;
  #fenced = false;

  constructor(config: MssqlConfig, name: SessionName, pools: DatabasePools) {
    this.#config = config;
    this.#name = name;
    this.#pools = pools;
  }

  check(objects: readonly ObjectRef[]): Promise<CheckReport> {
    return checkServer(this.#config, this.#pools, objects);
  }

  async read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
    const sources: SourceObject[] = [];
    for (const [database, places] of byDatabase(objects, (object) => object)) {
      const group = places.map(({ item }) => item);
      const found = await this.#inDatabase(database, async (session) => {
        await this.#fence(session);
        return readObjects(session, group, this.#config);
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
        await this.#fence(session);
        return writeAll(session, group, this.#config);
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

  /** Before the first read too: a value that an earlier owner still changes must not be taken for the present one. */
  async #fence(session: Session): Promise<void> {
    if (this.#fenced) return;
    await endOlderSessions(session, this.#name);
    this.#fenced = true;
  }

  /** The answer of the work, or why there is no such database for us. */
  async #inDatabase<T extends object>(
    database: string,
    work: (session: Session) => Promise<T>,
  ): Promise<T | Extract<Missing, `database-${string}`>> {
    if (database !== this.#config.database) {
      if (!this.#config.allDatabases) return 'database-not-covered';
      // Neither can be the name of a database; the driver would cut or change them.
      if (database === '' || database.includes('\0') || !database.isWellFormed()) return 'database-missing';
      if (database.length > 128) return 'database-missing';
    }
    try {
      return await this.#pools.with(database, work);
    } catch (error) {
      // Of one database among many only its own objects are concerned; inside the work every object failure is a result.
      const isMissing = error instanceof ConnectorError && ['4060', '911', '916'].includes(error.code);
      if (isMissing && error.scope === 'object') return 'database-missing';
      throw error;
    }
  }
}

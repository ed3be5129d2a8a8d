import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport, Connection, PlannedWrite, SessionName, SourceObject, WriteResult } from '../contract.ts';
import { refuseLostLane } from '../lane-lost.ts';
import { checkServer } from './check.ts';
import type { OracleConfig } from './config.ts';
import { endOlderSessions } from './fence.ts';
import type { OracleDriver } from './port.ts';
import { readObjects } from './read.ts';
import { openSession, type Session } from './session.ts';
import { thinDriver } from './thin-driver.ts';
import { writeAll } from './write.ts';

/** What is under way when the connection is closed may take this long; then it fails. */
const CLOSE_GRACE_MS = 5_000;

/** Connects at once, so that wrong credentials and addresses show. Throws `ConnectorError`. `driver` is for tests. */
export async function openOracle(
  config: OracleConfig,
  name: SessionName,
  driver: OracleDriver = thinDriver,
): Promise<Connection> {
  return new OracleConnection(config, name, driver, await openSession(config, name, driver));
}

/** One session, used by one call at a time. A lost session is replaced at its next use; the call that loses it fails. */
class OracleConnection implements Connection {
  readonly #config: OracleConfig;
  readonly #name: SessionName;
  readonly #driver: OracleDriver;
  #session: Session;
  #closed = false;
  #fenced = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(config: OracleConfig, name: SessionName, driver: OracleDriver, session: Session) {
    this.#config = config;
    this.#name = name;
    this.#driver = driver;
    this.#session = session;
  }

  check(objects: readonly ObjectRef[]): Promise<CheckReport> {
    return this.#inTurn((session) => checkServer(session, objects));
  }

  read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
    return this.#inTurn(async (session) => {
      await this.#fence(session);
      return readObjects(session, objects);
    });
  }

  apply(writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
    return this.#inTurn(async (session) => {
      await this.#fence(session);
      return writeAll(session, writes);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const timer = setTimeout(() => void this.#session.close(), CLOSE_GRACE_MS);
    await this.#queue;
    clearTimeout(timer);
    await this.#session.close();
  }

  /** Before the first read too: a value that an earlier owner still changes must not be taken for the present one. */
  async #fence(session: Session): Promise<void> {
    if (this.#fenced) return;
    refuseLostLane(this.#name);
    await endOlderSessions(session, this.#name);
    this.#fenced = true;
  }

  /** Calls made before the connection is closed still have their turn. */
  #inTurn<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    const turn = this.#queue.then(async () => {
      if (!this.#session.usable) {
        if (this.#closed) throw closed();
        await this.#session.close();
        this.#session = await openSession(this.#config, this.#name, this.#driver);
        refuseLostLane(this.#name);
      }
      return work(this.#session);
    });
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

function closed(): ConnectorError {
  const message = 'The connection was closed.';
  return new ConnectorError({ class: 'transient', scope: 'target', code: 'closed', message });
}

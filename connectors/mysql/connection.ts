import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport, Connection, PlannedWrite, SessionName, SourceObject, WriteResult } from '../contract.ts';
import { checkServer } from './check.ts';
import type { MysqlConfig } from './config.ts';
import { endOlderSessions } from './fence.ts';
import { readObjects } from './read.ts';
import { openSession, type Session } from './session.ts';
import { writeAll } from './write.ts';
import type { WriteSeams } from './write-seams.ts';

/** What is under way when the connection is closed may take this long; then it fails. */
const CLOSE_GRACE_MS = 5_000;

/** Connects at once, so that wrong credentials and addresses show. Throws `ConnectorError`. `seams` is for tests. */
export async function openMysql(
  config: MysqlConfig,
  name: SessionName,
  seams: WriteSeams = { lock: true },
): Promise<Connection> {
  return new MysqlConnection(config, name, seams, await openSession(config, name));
}

/**
 * One session, used by one call at a time, since a lock on a table binds the whole session. A lost session is replaced at its next use;
 * the call that loses it fails.
 */
class MysqlConnection implements Connection {
  readonly #config: MysqlConfig;
  readonly #name: SessionName;
  readonly #seams: WriteSeams;
  #session: Session;
  #closed = false;
  #fenced: Session | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(config: MysqlConfig, name: SessionName, seams: WriteSeams, session: Session) {
    this.#config = config;
    this.#name = name;
    this.#seams = seams;
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
      return writeAll(session, writes, this.#seams);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const timer = setTimeout(() => this.#session.destroy(), CLOSE_GRACE_MS);
    await this.#queue;
    clearTimeout(timer);
    await this.#session.close();
  }

  /** Once for each session, before it reads or writes: what it reads must not be changed afterwards by an earlier owner of the lane. */
  async #fence(session: Session): Promise<void> {
    if (this.#fenced === session) return;
    await endOlderSessions(session, this.#name);
    this.#fenced = session;
  }

  /** Calls made before the connection is closed still have their turn. */
  #inTurn<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    const turn = this.#queue.then(async () => {
      if (!this.#session.usable) {
        if (this.#closed) throw closed();
        this.#session = await openSession(this.#config, this.#name);
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

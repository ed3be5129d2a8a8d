import type { ConnectionPool, Transaction as DriverTransaction, Request } from 'mssql';
import type { ConnectorError } from '../connector-error.ts';
import type { Driver } from './driver.ts';
import type { Argument } from './step.ts';

/** Rows as the driver gives them, by the names of their columns; parsed where they are used. */
export type Rows = readonly unknown[];

/** What can be done on one connection at a time; failures are `ConnectorError`s. */
export interface Statements {
  /** The rows of each SELECT of a text whose arguments are bound (`sp_executesql`). */
  ask(text: string, args: readonly Argument[]): Promise<readonly Rows[]>;
  /** A text as it is, as one batch. */
  batch(text: string): Promise<void>;
}

/** Long waits for a lock end with error 1222. Each batch of ours says so itself, since settings last as long as the session. */
const SETTINGS = 'SET LOCK_TIMEOUT 3000; SET XACT_ABORT OFF; SET QUOTED_IDENTIFIER ON';

/** The connections of one database for the time of one piece of work. */
export class Session implements Statements {
  readonly #driver: Driver;
  readonly #pool: ConnectionPool;
  readonly #classify: (error: unknown) => ConnectorError;

  constructor(driver: Driver, pool: ConnectionPool, classify: (error: unknown) => ConnectorError) {
    this.#driver = driver;
    this.#pool = pool;
    this.#classify = classify;
  }

  ask(text: string, args: readonly Argument[]): Promise<readonly Rows[]> {
    return this.#query(this.#pool.request(), text, args);
  }

  batch(text: string): Promise<void> {
    return this.#run(this.#pool.request(), text);
  }

  /** Commits what the work did, or nothing of it. A failure of scope `target` leaves open whether a commit under way took place. */
  async inTransaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const transaction = this.#pool.transaction();
    await this.#settled(() => transaction.begin());
    let value: T;
    try {
      await this.#run(new this.#driver.Request(transaction), SETTINGS);
      value = await work({
        ask: (text, args) => this.#query(new this.#driver.Request(transaction), text, args),
        batch: (text) => this.#run(new this.#driver.Request(transaction), text),
      });
    } catch (error) {
      await rollBack(transaction);
      throw error;
    }
    await this.#settled(() => transaction.commit());
    return value;
  }

  async #query(request: Request, text: string, args: readonly Argument[]): Promise<readonly Rows[]> {
    for (const { name, value, units } of args) request.input(name, this.#driver.NVarChar(units), value);
    return this.#settled(async () => (await request.query<unknown>(text)).recordsets);
  }

  async #run(request: Request, text: string): Promise<void> {
    await this.#settled(() => request.batch(text));
  }

  async #settled<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#classify(error);
    }
  }
}

/** When even this fails, the server has rolled back already, or the connection is gone, and with it the transaction. */
async function rollBack(transaction: DriverTransaction): Promise<void> {
  try {
    await transaction.rollback();
  } catch {
    // The failure that led here is the one to tell.
  }
}

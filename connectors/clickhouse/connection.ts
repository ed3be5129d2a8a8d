import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport, Connection, PlannedWrite, SessionName, SourceObject, WriteResult } from '../contract.ts';
import { checkServer } from './check.ts';
import { type ClickhouseClient, openClient } from './client.ts';
import type { ClickhouseConfig } from './config.ts';
import { readObjects } from './read.ts';
import { writeAll } from './write.ts';

/** Connects at once, so that wrong credentials and addresses show. Throws `ConnectorError`. */
export async function openClickhouse(config: ClickhouseConfig, name: SessionName): Promise<Connection> {
  return new ClickhouseConnection(await openClient(config, name));
}

/** HTTP requests over a few kept sockets; there is no session that could be lost. */
class ClickhouseConnection implements Connection {
  readonly #client: ClickhouseClient;

  constructor(client: ClickhouseClient) {
    this.#client = client;
  }

  async check(objects: readonly ObjectRef[]): Promise<CheckReport> {
    return checkServer(this.#open(), objects);
  }

  async read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
    return readObjects(this.#open(), objects);
  }

  async apply(writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
    return writeAll(this.#open(), writes);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #open(): ClickhouseClient {
    if (!this.#client.closed) return this.#client;
    const message = 'The connection was closed.';
    throw new ConnectorError({ class: 'transient', scope: 'target', code: 'closed', message });
  }
}

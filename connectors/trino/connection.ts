import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport, Connection, PlannedWrite, SessionName, SourceObject, WriteResult } from '../contract.ts';
import { checkServer, type Identity } from './check.ts';
import { type ClientTimes, openStatementClient, type StatementClient } from './client/statement-client.ts';
import type { TrinoConfig } from './config.ts';
import { RememberedLacks } from './lacks.ts';
import { type ReadContext, readObjects } from './read.ts';
import { writeAll } from './write.ts';

const identityRow = z.tuple([z.string(), z.string()]);
const catalogRow = z.tuple([z.string(), z.string()]);
/** Catalogs can be made while the server runs. */
const CATALOGS_KEPT_MS = 10 * 60 * 1000;

/** Connects at once, so that wrong credentials and addresses show. Throws `ConnectorError`. `times` is for tests. */
export async function openTrino(
  config: TrinoConfig,
  session: SessionName,
  times: Partial<ClientTimes> = {},
): Promise<Connection> {
  const client = await openStatementClient(config, session, times);
  try {
    const [row] = await client.rows('SELECT version(), current_user', identityRow, { phase: 'connect' });
    return new TrinoConnection(client, { version: row?.[0] ?? '', user: row?.[1] ?? config.user });
  } catch (error) {
    client.close();
    throw error;
  }
}

/** HTTP requests over a few kept sockets; there is no session that could be lost. */
class TrinoConnection implements Connection {
  readonly #context: ReadContext;
  readonly #identity: Identity;

  constructor(client: StatementClient, identity: Identity) {
    this.#identity = identity;
    this.#context = { client, lacks: new RememberedLacks(), connectors: keptConnectors(client) };
  }

  check(objects: readonly ObjectRef[]): Promise<CheckReport> {
    return checkServer(this.#context, this.#identity, objects);
  }

  read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
    return readObjects(this.#context, objects);
  }

  apply(writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
    return writeAll(this.#context, writes);
  }

  async close(): Promise<void> {
    this.#context.client.close();
  }
}

/** Which connector stands behind each catalog, asked for now and then; empty where the account may not see it. */
function keptConnectors(client: StatementClient): ReadContext['connectors'] {
  let kept: ReadonlyMap<string, string> = new Map();
  let until = 0;
  return async () => {
    if (until > performance.now()) return kept;
    try {
      const rows = await client.rows('SELECT catalog_name, connector_name FROM system.metadata.catalogs', catalogRow);
      kept = new Map(rows.map(([catalog, connector]) => [catalog.toLowerCase(), connector.toLowerCase()]));
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
      kept = new Map();
    }
    until = performance.now() + CATALOGS_KEPT_MS;
    return kept;
  };
}

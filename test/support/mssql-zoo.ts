import type { Connection, PlannedWrite, PlanOptions } from '../../connectors/contract.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { dumpMssql, mssqlDumpKey } from './mssql-dump.ts';
import { CLASS, fold } from './mssql-model.ts';
import { MssqlPeer } from './mssql-server.ts';

export const ZOO = 'zoo';

/** What shall stand in one place of the dump, and how it came to be written. */
export interface Wish {
  readonly operation: Operation;
  /** What shall be read afterwards; undefined: nothing. */
  readonly expected: string | undefined;
  readonly template?: readonly string[];
  /** Where it shall stand, when that is not the operation's own object. */
  readonly at?: ObjectRef;
}

/** Names that can stand side by side in one schema: the engine takes some for the same that are not. */
export function distinct(names: readonly string[]): readonly string[] {
  const byFold = new Map<string, string>();
  for (const name of names)
    if (name.length <= 128 && fold(name) !== '' && !byFold.has(fold(name))) byFold.set(fold(name), name);
  return [...byFold.values()];
}

export function zooTable(name: string): ObjectRef {
  return { level: 'table', entityType: 'table', fqn: 'zoo', service: 'zoo', database: ZOO, schema: ZOO, table: name };
}

export function zooColumn(name: string): ObjectRef {
  return { ...zooTable(name), level: 'column', column: [name] };
}

/** A database full of tables with hostile names, and eyes of its own on everything that changes in the server. */
export class MssqlZoo {
  readonly peer: MssqlPeer;
  readonly #connection: Connection;

  private constructor(peer: MssqlPeer, connection: Connection) {
    this.peer = peer;
    this.#connection = connection;
  }

  /** A schema with these tables, each with a column of its own name, and roles of these names that own nothing yet. */
  static async open(names: readonly string[], roles: readonly string[]): Promise<MssqlZoo> {
    const peer = await MssqlPeer.start();
    peer.model.login('keeper', 'keeper');
    const database = peer.model.database(ZOO, 'keeper');
    database.schema(ZOO, 'dbo');
    for (const name of names) database.object(ZOO, name, 'U', [name, 'id']);
    for (const role of roles) if (database.findPrincipal(role) === undefined) database.principal(role);
    const canary = database.object('dbo', 'canary', 'U', ['id']);
    const row = { class: CLASS.object, majorId: canary.id, minorId: 0, name: 'MS_Description', value: 'sings' };
    database.properties.set(JSON.stringify([row.class, row.majorId, row.minorId, fold(row.name)]), row);
    const config = mssqlConnector.spec.config.parse({
      hostPort: peer.hostPort,
      username: 'keeper',
      password: 'keeper',
      database: ZOO,
      encrypt: false,
    });
    return new MssqlZoo(peer, await mssqlConnector.open(config, { lane: 'property', epoch: 1 }));
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await this.peer.stop();
  }

  /**
   * Writes the wishes (each to another place) in one batch, and compares the whole server before and after: each value is the one wished
   * for, code point by code point, and nothing else has changed. The answers are problems.
   */
  async fulfil(wishes: readonly Wish[]): Promise<readonly string[]> {
    const problems: string[] = [];
    const sources = await this.#connection.read(wishes.map(({ operation }) => operation.object));
    const writes: PlannedWrite[] = [];
    for (const [index, { operation, template }] of wishes.entries()) {
      const options: PlanOptions = template === undefined ? {} : { template };
      const source = sources[index] ?? { exists: false };
      const planned = mssqlConnector.plan(operation, source, options);
      if (planned.ok) writes.push({ id: String(index), operation, plan: planned.value, options, source });
      else problems.push(`refused: ${planned.error.failure.code} for ${JSON.stringify(wishes[index])}`);
    }
    const before = dumpMssql(this.peer.model);
    for (const result of await this.#connection.apply(writes)) {
      if (!result.ok) problems.push(`failed: ${result.failure.code} for ${JSON.stringify(wishes[Number(result.id)])}`);
    }
    const after = dumpMssql(this.peer.model);
    const expected = new Map(
      wishes.map(({ operation, at, expected: text }) => [mssqlDumpKey(at ?? operation.object, operation.aspect), text]),
    );
    for (const [key, text] of expected) {
      if (after.get(key) !== text)
        problems.push(`${key} is ${JSON.stringify(after.get(key))}, not ${JSON.stringify(text)}`);
    }
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(key) !== after.get(key) && !expected.has(key)) problems.push(`${key} has changed too`);
    }
    return problems;
  }
}

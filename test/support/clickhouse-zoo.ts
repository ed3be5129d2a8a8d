import type { ClickHouseClient } from '@clickhouse/client';
import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import type { Connection, PlannedWrite } from '../../connectors/contract.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { backquoted, clickhouseDumpKey, dumpClickhouse } from './clickhouse-dump.ts';
import { ref } from './clickhouse-harness.ts';

/** What shall stand in one comment, and how it came to be written. */
export interface Wish {
  readonly object: ObjectRef;
  /** The description of the operation. */
  readonly text: string | undefined;
  /** What shall be read afterwards; undefined: no comment. */
  readonly expected: string | undefined;
  readonly template?: readonly string[];
}

/** A database full of tables with hostile names, and eyes of its own on everything that changes in the server. */
export class ClickhouseZoo {
  readonly #admin: ClickHouseClient;
  readonly #connection: Connection;
  /** As the last batch left the server; nobody else writes. */
  #last: ReadonlyMap<string, string> | undefined;

  constructor(admin: ClickHouseClient, connection: Connection) {
    this.#admin = admin;
    this.#connection = connection;
  }

  /** An empty database with these tables; each has a column of its own name. */
  async build(names: readonly string[]): Promise<void> {
    const statements = [
      'DROP DATABASE IF EXISTS zoo SYNC',
      'CREATE DATABASE zoo',
      "CREATE TABLE zoo.canary (id UInt8 COMMENT 'chirps') ENGINE = Memory COMMENT 'sings'",
      ...names.map(
        (name) => `CREATE TABLE zoo.${backquoted(name)} (${backquoted(name)} UInt8, id UInt8) ENGINE = Memory`,
      ),
    ];
    // For its administrator the test server runs several statements at once, which saves much of the time.
    for (let start = 0; start < statements.length; start += 100) {
      await this.#admin.command({ query: statements.slice(start, start + 100).join(';\n') });
    }
    this.#last = undefined;
  }

  table(name: string): ObjectRef {
    return ref('table', 'zoo', name);
  }

  column(name: string): ObjectRef {
    return ref('column', 'zoo', name, name);
  }

  /** What the connector's plan makes of a wish: refused, with the code. */
  refusal({ object, text }: Pick<Wish, 'object' | 'text'>): string | undefined {
    const planned = clickhouseConnector.plan({ aspect: 'description', object, text }, undefined, {
      overlong: 'refuse',
    });
    return planned.ok ? undefined : planned.error.failure.code;
  }

  /**
   * Writes the wishes (each to another object) in one batch, and compares the whole server before and after: each comment is the one
   * wished for, code point by code point, and nothing else has changed. The answers are problems.
   */
  async fulfil(wishes: readonly Wish[]): Promise<readonly string[]> {
    const problems: string[] = [];
    const sources = await this.#connection.read(wishes.map(({ object }) => object));
    const writes: PlannedWrite[] = [];
    for (const [index, { object, text, template }] of wishes.entries()) {
      const operation = { aspect: 'description', object, text } as const;
      const options = template === undefined ? {} : { template };
      const source = sources[index] ?? { exists: false };
      const planned = clickhouseConnector.plan(operation, source, options);
      if (planned.ok) writes.push({ id: String(index), operation, plan: planned.value, options, source });
      else problems.push(`refused: ${planned.error.failure.code} for ${JSON.stringify(wishes[index])}`);
    }
    const before = this.#last ?? (await dumpClickhouse(this.#admin));
    for (const result of await this.#connection.apply(writes)) {
      if (!result.ok) problems.push(`failed: ${result.failure.code} for ${JSON.stringify(wishes[Number(result.id)])}`);
    }
    const after = await dumpClickhouse(this.#admin);
    this.#last = after;
    const expected = new Map(wishes.map((wish) => [clickhouseDumpKey(wish.object), wish.expected]));
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

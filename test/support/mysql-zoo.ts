import type { Connection as Admin } from 'mysql2/promise';
import type { Connection, PlannedWrite } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { dumpMysql, mysqlDumpKey } from './mysql-dump.ts';
import { ref } from './mysql-harness.ts';
import { quoteName } from './random-columns.ts';

/** Columns beside the one that has the table's name. */
export const PLAIN_COLUMNS = Array.from({ length: 10 }, (_, index) => `plain_${index}`);

/** What shall stand in one comment, and how it came to be written. */
export interface Wish {
  readonly object: ObjectRef;
  /** The description of the operation. */
  readonly text: string | undefined;
  /** What shall be read afterwards; undefined: no comment. */
  readonly expected: string | undefined;
  readonly template?: readonly string[];
}

/** What the server makes of a text in a comment: utf8mb3 holds nothing beyond U+FFFF. */
export function withoutAstral(text: string, substitute: string): string {
  return text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, substitute);
}

/** Names that the server can hold: no character beyond U+FFFF, no blank at the end, short enough for its file names. */
export function possibleName(name: string): string {
  return withoutAstral(name, '').replace(/\s+$/u, '').slice(0, 40);
}

/** A database full of tables with hostile names, and eyes of its own on everything that changes in the server. */
export class MysqlZoo {
  readonly #admin: Admin;
  readonly #connection: Connection;

  constructor(admin: Admin, connection: Connection) {
    this.#admin = admin;
    this.#connection = connection;
  }

  /** An empty database with these tables; each has a column of its own name. */
  async build(wide: readonly string[], narrow: readonly string[] = []): Promise<void> {
    await this.#admin.query('DROP DATABASE IF EXISTS zoo');
    await this.#admin.query('CREATE DATABASE zoo');
    await this.#admin.query("CREATE TABLE zoo.canary (id int COMMENT 'chirps') COMMENT 'sings'");
    const plain = PLAIN_COLUMNS.map((name) => `, ${name} varchar(9) DEFAULT 'it''s'`).join('');
    for (const name of wide) await this.#create(name, plain);
    for (const name of narrow) await this.#create(name, '');
  }

  async #create(name: string, more: string): Promise<void> {
    await this.#admin.query(`CREATE TABLE zoo.${quoteName(name)} (${quoteName(name)} int${more}) ENGINE=InnoDB`);
  }

  table(name: string): ObjectRef {
    return ref('table', 'zoo', name);
  }

  column(table: string, column: string): ObjectRef {
    return ref('column', 'zoo', table, column);
  }

  /** What the connector's plan makes of a wish: refused, with the code. */
  refusal({ object, text }: Pick<Wish, 'object' | 'text'>): string | undefined {
    const planned = mysqlConnector.plan({ aspect: 'description', object, text }, undefined, { overlong: 'refuse' });
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
      const planned = mysqlConnector.plan(operation, source, options);
      if (planned.ok) writes.push({ id: String(index), operation, plan: planned.value, options, source });
      else problems.push(`refused: ${planned.error.failure.code} for ${JSON.stringify(wishes[index])}`);
    }
    const before = await dumpMysql(this.#admin);
    for (const result of await this.#connection.apply(writes)) {
      if (!result.ok) problems.push(`failed: ${result.failure.code} for ${JSON.stringify(wishes[Number(result.id)])}`);
    }
    const after = await dumpMysql(this.#admin);
    const expected = new Map(wishes.map((wish) => [mysqlDumpKey(wish.object), wish.expected]));
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

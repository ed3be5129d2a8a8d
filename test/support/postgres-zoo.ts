import type pg from 'pg';
import type { Connection, Connector, PlannedWrite } from '../../connectors/contract.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { dumpPostgres, postgresDumpKey } from './postgres-dump.ts';

/** Quotes on the server's side (`%I`), so that the names do not come through the code under test. */
const MAKE_TABLES = `
CREATE FUNCTION pg_temp.make_tables(names text[]) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY names LOOP
    EXECUTE format('CREATE TABLE zoo.%I (%I int, id int)', name, name);
  END LOOP;
END $make$`;

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
export class PostgresZoo {
  readonly #database: string;
  readonly #admin: pg.Client;
  readonly #all: ReadonlyMap<string, pg.Client>;
  readonly #connection: Connection;
  readonly #plan: Connector['plan'];

  /** `all`: superuser connections to every database that is watched, the zoo's own included. */
  constructor(
    database: string,
    admin: pg.Client,
    all: ReadonlyMap<string, pg.Client>,
    connection: Connection,
    plan: Connector['plan'],
  ) {
    this.#database = database;
    this.#admin = admin;
    this.#all = all;
    this.#connection = connection;
    this.#plan = plan;
  }

  /** An empty schema with these tables; each has a column of its own name. */
  async build(names: readonly string[]): Promise<void> {
    await this.#admin.query('DROP SCHEMA IF EXISTS zoo CASCADE; CREATE SCHEMA zoo; CREATE TABLE zoo.canary (id int)');
    await this.#admin.query("COMMENT ON TABLE zoo.canary IS 'sings'; DROP FUNCTION IF EXISTS pg_temp.make_tables");
    await this.#admin.query(MAKE_TABLES);
    for (let start = 0; start < names.length; start += 100) {
      await this.#admin.query('SELECT pg_temp.make_tables($1)', [names.slice(start, start + 100)]);
    }
  }

  table(name: string): ObjectRef {
    return {
      level: 'table',
      entityType: 'table',
      fqn: 'zoo',
      service: 'zoo',
      database: this.#database,
      schema: 'zoo',
      table: name,
    };
  }

  column(name: string): ObjectRef {
    return { ...this.table(name), level: 'column', column: [name] };
  }

  /** Every comment, owner and definition of the whole server, as a superuser sees them. */
  dump(): Promise<Map<string, string>> {
    return dumpPostgres(this.#all);
  }

  /** What the connector's plan makes of a wish: refused, with the code. */
  refusal(wish: Wish): string | undefined {
    const planned = this.#plan(
      { aspect: 'description', object: wish.object, text: wish.text },
      { exists: true, kind: 'table' },
      { overlong: 'refuse' },
    );
    return planned.ok ? undefined : planned.error.failure.code;
  }

  /**
   * Writes the wishes (each to another object) in one batch, and compares the whole server before and after: each comment is the
   * one wished for, code point by code point, and nothing else has changed. The answers are problems.
   */
  async fulfil(wishes: readonly Wish[]): Promise<readonly string[]> {
    const problems: string[] = [];
    const objects = wishes.map(({ object }) => object);
    const sources = await this.#connection.read(objects);
    const writes: PlannedWrite[] = [];
    for (const [index, { object, text, template }] of wishes.entries()) {
      const operation = { aspect: 'description', object, text } as const;
      const options = template === undefined ? {} : { template };
      const source = sources[index] ?? { exists: false };
      const planned = this.#plan(operation, source, options);
      if (planned.ok) writes.push({ id: String(index), operation, plan: planned.value, options, source });
      else problems.push(`refused: ${planned.error.failure.code} for ${JSON.stringify(wishes[index])}`);
    }
    const before = await this.dump();
    for (const result of await this.#connection.apply(writes)) {
      if (!result.ok) problems.push(`failed: ${result.failure.code} for ${JSON.stringify(wishes[Number(result.id)])}`);
    }
    const after = await this.dump();
    const expected = new Map(wishes.map((wish) => [postgresDumpKey(wish.object, 'description'), wish.expected]));
    for (const [key, text] of expected) {
      if (after.get(key) !== text) {
        problems.push(`${key} is ${JSON.stringify(after.get(key))}, not ${JSON.stringify(text)}`);
      }
    }
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(key) !== after.get(key) && !expected.has(key)) problems.push(`${key} has changed too`);
    }
    return problems;
  }
}

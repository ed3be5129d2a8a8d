import pg from 'pg';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { DATABASE, tableName } from './bench-events.ts';

/** A PostgreSQL with its default durability, and the tables of the largest case. */
export async function startBenchPostgres(tables: number): Promise<PostgresServer> {
  const server = await startPostgres({ durable: true });
  const admin = new pg.Client({ connectionString: server.url() });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${DATABASE}`);
  await admin.end();
  await withDatabase(server, async (client) => {
    for (let from = 0; from < tables; from += 500) {
      const statements = Array.from(
        { length: Math.min(500, tables - from) },
        (_, i) => `CREATE TABLE ${tableName(from + i)} (id int)`,
      );
      await client.query(statements.join(';'));
    }
  });
  return server;
}

export async function withDatabase<T>(server: PostgresServer, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url(DATABASE) });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Takes all comments away, so that every variant begins alike. */
export async function clearComments(server: PostgresServer): Promise<void> {
  await withDatabase(server, async (client) => {
    await client.query(
      "DELETE FROM pg_description WHERE classoid = 'pg_class'::regclass AND objoid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)",
    );
    await client.query('VACUUM FULL pg_catalog.pg_description');
    await client.query('CHECKPOINT');
  });
}

/** Tables whose comment is not the text that the newest change has. */
export async function staleFinals(server: PostgresServer, wanted: ReadonlyMap<string, string>): Promise<number> {
  return withDatabase(server, async (client) => {
    const { rows } = await client.query<{ name: string; comment: string | null }>(
      "SELECT relname AS name, obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
    );
    const found = new Map(rows.map(({ name, comment }) => [name, comment]));
    return [...wanted].filter(([table, text]) => found.get(table) !== text).length;
  });
}

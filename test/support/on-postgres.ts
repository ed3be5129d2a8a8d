import pg from 'pg';
import type { PostgresServer } from './postgres-server.ts';

/** Does something over a connection of its own to a database of the server, and closes it whatever comes of it. */
export async function onPostgres<T>(
  postgres: PostgresServer,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: postgres.url(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

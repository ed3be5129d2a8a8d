import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { tableName, textKey } from '../workload/workload.ts';
import type { BenchSource, SourceNeeds, WriteCounters } from './bench-source.ts';

/** PostgreSQL can do more for the benchmark than others. */
export interface PostgresSource extends BenchSource {
  /** Ends every session but ours on the databases of the places; how many. */
  cutSessions(): Promise<number>;
  /** A query on the database of the first place. */
  query<T extends pg.QueryResultRow>(sql: string): Promise<readonly T[]>;
}

const databaseOf = (place: number): string => `bench_${place}`;
const OURS = 'bench-looks';

const CLEAR =
  "DELETE FROM pg_description WHERE classoid = 'pg_class'::regclass AND objoid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)";
const TEXTS =
  "SELECT relname AS name, obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
/** COMMENT makes exactly one row version: an insert, or an update even when the text is the same. */
const COUNTERS = `SELECT (n_tup_ins + n_tup_upd)::float8 AS statements,
  (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS transactions
  FROM pg_stat_sys_tables WHERE relname = 'pg_description'`;

/** A PostgreSQL with its default durability. `settings` are further settings of the server. */
export async function startPostgresSource(
  { tables }: SourceNeeds,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresSource> {
  const server = await startPostgres({ durable: true, settings });
  const clients: pg.Client[] = [];
  try {
    const admin = await connect(server, 'postgres');
    clients.push(admin);
    for (const [place, count] of tables.entries()) {
      await admin.query(`CREATE DATABASE ${databaseOf(place)}`);
      const client = await connect(server, databaseOf(place));
      clients.push(client);
      await createTables(client, count);
    }
    return sourceOf(server, admin, clients.slice(1));
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function connect(server: PostgresServer, database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url(database), application_name: OURS });
  await client.connect();
  return client;
}

async function createTables(client: pg.Client, count: number): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const statements = Array.from(
      { length: Math.min(500, count - from) },
      (_, i) => `CREATE TABLE ${tableName(from + i)} (id int)`,
    );
    await client.query(statements.join(';'));
  }
}

async function sourceOf(
  server: PostgresServer,
  admin: pg.Client,
  clients: readonly pg.Client[],
): Promise<PostgresSource> {
  const version = await admin.query<{ server_version: string }>('SHOW server_version');
  const first = clients[0] ?? admin;
  return {
    system: 'postgres',
    product: `PostgreSQL ${version.rows[0]?.server_version ?? ''}`.trim(),
    places: clients.map((_, place) => ({
      service: databaseOf(place),
      serviceType: 'Postgres',
      database: databaseOf(place),
      schema: 'public',
    })),
    password: server.password,
    url: (place) => server.url(databaseOf(place)),
    connection: (place) => ({
      type: 'Postgres',
      hostPort: `${server.host}:${server.port}`,
      username: server.user,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: resolved by the service
      authType: { password: '${BENCH_PASSWORD}' },
      database: databaseOf(place),
    }),
    clear: async () => {
      for (const client of clients) {
        await client.query(CLEAR);
        await client.query('VACUUM FULL pg_catalog.pg_description');
      }
      await admin.query('CHECKPOINT');
    },
    preset: async (texts) => {
      for (const [table, text] of texts)
        await first.query(`COMMENT ON TABLE ${table} IS ${pg.escapeLiteral(text).trimStart()}`);
    },
    texts: async () => {
      const found = new Map<string, string>();
      for (const [place, client] of clients.entries()) {
        const { rows } = await client.query<{ name: string; comment: string | null }>(TEXTS);
        for (const { name, comment } of rows) if (comment !== null) found.set(textKey(place, name, ''), comment);
      }
      return found;
    },
    counters: async () => {
      let [statements, transactions] = [0, 0];
      for (const client of clients) {
        await untilAlone(client);
        // Else our own session's numbers stand in a snapshot, or wait in its memory for up to a second.
        await client.query('SELECT pg_stat_force_next_flush()');
        const { rows } = await client.query<{ [name in keyof WriteCounters]: number }>(COUNTERS);
        statements += rows[0]?.statements ?? 0;
        transactions += rows[0]?.transactions ?? 0;
      }
      return { statements, transactions };
    },
    cutSessions: async () => {
      const { rows } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'bench\\_%' AND application_name <> '${OURS}' AND backend_type = 'client backend'`,
      );
      return rows.length;
    },
    query: async <T extends pg.QueryResultRow>(sql: string) => (await first.query<T>(sql)).rows,
    stop: async () => {
      await Promise.all([admin, ...clients].map((client) => client.end()));
      await server.stop();
    },
  };
}

/** A session's numbers are there for certain only when it has ended. */
async function untilAlone(client: pg.Client): Promise<void> {
  const giveUpAt = performance.now() + 5_000;
  while (performance.now() < giveUpAt) {
    const { rows } = await client.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM pg_stat_activity WHERE datname = current_database() AND application_name <> '${OURS}' AND backend_type = 'client backend'`,
    );
    if (rows[0]?.others === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

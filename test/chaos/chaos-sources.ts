import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { onPostgres } from '../support/on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import type { ChaosTable, Part } from './editing-session.ts';

const POSTGRES = { service: 'pg_sales', tables: 40 } as const;
const MARIADB = { service: 'maria_sales', tables: 20 } as const;

/** The servers of all rounds; each round has databases of its own on them. */
export interface ChaosSources {
  readonly postgres: PostgresServer;
  readonly mariadb: MariadbServer;
  stop(): Promise<void>;
}

export async function startSources(): Promise<ChaosSources> {
  const [postgres, mariadb] = await Promise.all([startPostgres(), startTestMariadb()]);
  return {
    postgres,
    mariadb,
    stop: async () => {
      await Promise.all([postgres.stop(), mariadb.stop()]);
    },
  };
}

/** Makes the database of a round on both servers and gives its tables. */
export async function createTables(sources: ChaosSources, database: string): Promise<readonly ChaosTable[]> {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
  await onPostgres(sources.postgres, 'postgres', (client) => client.query(`CREATE DATABASE ${database}`));
  await onPostgres(sources.postgres, database, (client) =>
    client.query(
      names(POSTGRES.tables)
        .map((name) => `CREATE TABLE ${name} (a int, b int)`)
        .join(';'),
    ),
  );
  await onMariadb(sources, async (connection) => {
    await connection.query(`CREATE DATABASE ${database}`);
    for (const name of names(MARIADB.tables))
      await connection.query(`CREATE TABLE ${database}.${name} (a int NOT NULL DEFAULT 1, b int)`);
  });
  return [
    ...names(POSTGRES.tables).map((name) => ({ service: POSTGRES.service, database, schema: 'public', name })),
    ...names(MARIADB.tables).map((name) => ({
      service: MARIADB.service,
      database: 'default',
      schema: database,
      name,
    })),
  ];
}

export async function dropTables(sources: ChaosSources, database: string): Promise<void> {
  await onPostgres(sources.postgres, 'postgres', (client) =>
    client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`),
  );
  await onMariadb(sources, (connection) => connection.query(`DROP DATABASE IF EXISTS ${database}`));
}

/** The configuration of a round. Where the servers are and their passwords each replica is told by its environment. */
export function roundConfig({ postgres, mariadb }: ChaosSources, database: string): string {
  return `targets:
  - service: ${POSTGRES.service}
    connection: { type: Postgres, hostPort: "127.0.0.1:\${CHAOS_POSTGRES_PORT}", username: ${postgres.user}, authType: { password: "\${CHAOS_POSTGRES_PASSWORD}" }, database: ${database} }
  - service: ${MARIADB.service}
    connection: { type: MariaDB, hostPort: "127.0.0.1:\${CHAOS_MARIADB_PORT}", username: ${mariadb.user}, authType: { password: "\${CHAOS_MARIADB_PASSWORD}" } }
    rateLimit: { perSecond: 200, burst: 200 }
channels:
  - name: docs
    update: { descriptions: true, tags: false, owners: false }
    guard: { clears: 1000000 }   # a round clears much, and every clear is counted all the same
`;
}

export const fieldName = (service: string, table: string, part: Part): string => `${service} ${table} ${part}`;

/** What stands in both sources now, by `fieldName`, read over connections of our own; no text and an empty one are the same. */
export async function readSources(sources: ChaosSources, database: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const note = (service: string, table: string, part: string | null, text: string | null): void => {
    if (text !== null && text !== '')
      found.set(fieldName(service, table, part === 'a' || part === 'b' ? part : 'table'), text);
  };
  await onPostgres(sources.postgres, database, async (client) => {
    const { rows } = await client.query<{ name: string; part: string | null; text: string }>(
      `SELECT c.relname AS name, a.attname AS part, d.description AS text FROM pg_description d
       JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass
       LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
       WHERE c.relnamespace = 'public'::regnamespace`,
    );
    for (const { name, part, text } of rows) note(POSTGRES.service, name, part, text);
  });
  await onMariadb(sources, async (connection) => {
    const [tables] = await connection.query<RowDataPacket[]>(
      'SELECT table_name AS name, NULL AS part, table_comment AS text FROM information_schema.tables WHERE table_schema = ?',
      [database],
    );
    const [columns] = await connection.query<RowDataPacket[]>(
      'SELECT table_name AS name, column_name AS part, column_comment AS text FROM information_schema.columns WHERE table_schema = ?',
      [database],
    );
    for (const { name, part, text } of [...tables, ...columns])
      note(MARIADB.service, String(name), part === null ? null : String(part), String(text));
  });
  return found;
}

async function onMariadb<T>(
  { mariadb }: ChaosSources,
  work: (connection: Awaited<ReturnType<typeof createConnection>>) => Promise<T>,
) {
  const { host, port, user, password } = mariadb;
  const connection = await createConnection({ host, port, user, password, charset: 'utf8mb4' });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

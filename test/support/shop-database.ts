import { onPostgres } from './on-postgres.ts';
import type { PostgresServer } from './postgres-server.ts';

/** Holds the server's password for `postgresTarget` in the process that reads the configuration. */
export const POSTGRES_PASSWORD_VARIABLE = 'BACKFLOW_TEST_POSTGRES_PASSWORD';

/** Creates the database `shop`, or another one, with tables `t0`, `t1`, … in its schema `public`. */
export async function createTables(postgres: PostgresServer, count: number, database = 'shop'): Promise<void> {
  await onPostgres(postgres, 'postgres', (admin) => admin.query(`CREATE DATABASE ${database}`));
  const tables = Array.from({ length: count }, (_, i) => `CREATE TABLE t${i} (id int)`);
  await onPostgres(postgres, database, (client) => client.query(tables.join(';')));
}

/** Comments of the tables `t0`, `t1`, … of a database, by name. */
export function tableComments(
  postgres: PostgresServer,
  database = 'shop',
): Promise<ReadonlyMap<string, string | null>> {
  return onPostgres(postgres, database, async (client) => {
    const { rows } = await client.query<{ name: string; text: string | null }>(
      "SELECT relname AS name, obj_description(oid, 'pg_class') AS text FROM pg_class WHERE relname ~ '^t[0-9]+$'",
    );
    return new Map(rows.map(({ name, text }) => [name, text]));
  });
}

export interface PostgresTarget {
  readonly service?: string;
  readonly database?: string;
  /** Another port than the server's own, as that of a proxy in front of it. */
  readonly port?: number;
  /** Further members of the target, a line each. */
  readonly more?: readonly string[];
}

/** One target of a configuration: the server with its first user, whose password this process gets by its environment. */
export function postgresTarget(postgres: PostgresServer, options: PostgresTarget = {}): string {
  process.env[POSTGRES_PASSWORD_VARIABLE] = postgres.password;
  const { service = 'pg_sales', database = 'shop', port = postgres.port, more = [] } = options;
  return `  - service: ${service}
    connection:
      type: Postgres
      hostPort: "127.0.0.1:${port}"
      username: ${postgres.user}
      authType: { password: "\${${POSTGRES_PASSWORD_VARIABLE}}" }
      database: ${database}
${more.map((line) => `    ${line}\n`).join('')}`;
}

/** A configuration of these targets and one channel `docs` that writes all descriptions. */
export function docsConfigOf(targets: readonly string[]): string {
  return `targets:
${targets.join('')}channels:
  - name: docs
    update: { descriptions: true, tags: false, owners: false }
`;
}

/** A configuration with one target, `pg_sales` on the database `shop` unless said otherwise, and the channel `docs`. */
export function docsConfig(postgres: PostgresServer, target: PostgresTarget = {}): string {
  return docsConfigOf([postgresTarget(postgres, target)]);
}

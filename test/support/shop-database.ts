import pg from 'pg';
import type { PostgresServer } from './postgres-server.ts';

/** Creates the database `shop` with tables `t0`, `t1`, … in its schema `public`. */
export async function createTables(postgres: PostgresServer, count: number): Promise<void> {
  const admin = new pg.Client({ connectionString: postgres.url() });
  await admin.connect();
  await admin.query('CREATE DATABASE shop');
  await admin.end();
  const shop = new pg.Client({ connectionString: postgres.url('shop') });
  await shop.connect();
  await shop.query(Array.from({ length: count }, (_, i) => `CREATE TABLE t${i} (id int)`).join(';'));
  await shop.end();
}

/** A configuration with the target `pg_sales` on that database and one channel `docs` that writes all descriptions. */
export function docsConfig(postgres: PostgresServer): string {
  process.env.BACKFLOW_TEST_POSTGRES_PASSWORD = postgres.password;
  return `targets:
  - service: pg_sales
    connection:
      type: Postgres
      hostPort: "${postgres.host}:${postgres.port}"
      username: ${postgres.user}
      authType: { password: "\${BACKFLOW_TEST_POSTGRES_PASSWORD}" }
      database: shop
channels:
  - name: docs
    update: { descriptions: true, tags: false, owners: false }
`;
}

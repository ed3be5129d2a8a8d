import mysql from 'mysql2/promise';
import pg from 'pg';
import type { MariadbServer } from './mariadb-server.ts';
import type { PostgresServer } from './postgres-server.ts';

/** A question about the source that the demo asks over a connection of its own. Undefined: no comment, no such object. */
export type Probe = () => Promise<string | undefined>;

/** The sample database on PostgreSQL, and how the demo itself looks at it. */
export interface SamplePostgres {
  readonly table: (schema: string, table: string) => Probe;
  readonly column: (schema: string, table: string, column: string) => Probe;
  readonly schema: (schema: string) => Probe;
  readonly database: () => Probe;
  readonly owner: (schema: string, table: string) => Probe;
  close(): Promise<void>;
}

const POSTGRES_SCHEMA = `
  CREATE ROLE sales_steward NOLOGIN;
  GRANT USAGE, CREATE ON SCHEMA public TO sales_steward;
  CREATE TABLE orders (
    order_id bigint PRIMARY KEY, customer_id bigint NOT NULL, amount numeric(12, 2), "note's ""odd"" name" text);
  CREATE TABLE customers (customer_id bigint PRIMARY KEY, full_name text NOT NULL, email text);
  COMMENT ON TABLE customers IS 'an old text that somebody clears in the catalogue';
  CREATE VIEW open_orders AS SELECT order_id, customer_id FROM orders WHERE amount IS NULL;
  CREATE SCHEMA reports;
  CREATE TABLE reports.daily_sales (day date PRIMARY KEY, total numeric(14, 2));
`;

/** Creates the database `shop` with its sample objects. */
export async function createSamplePostgres(server: PostgresServer): Promise<SamplePostgres> {
  const admin = new pg.Client({ connectionString: server.url() });
  await admin.connect();
  await admin.query('CREATE DATABASE shop');
  await admin.end();
  const client = new pg.Client({ connectionString: server.url('shop') });
  // The server is stopped while the demo's own connection may still be open.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(POSTGRES_SCHEMA);
  const ask = async (sql: string, values: readonly string[]): Promise<string | undefined> => {
    const { rows } = await client.query<{ value: string | null }>(sql, [...values]);
    return rows[0]?.value ?? undefined;
  };
  const oid =
    '(SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2)';
  return {
    table: (schema, table) => () => ask(`SELECT obj_description(${oid}, 'pg_class') AS value`, [schema, table]),
    column: (schema, table, column) => () =>
      ask(
        `SELECT col_description(a.attrelid, a.attnum) AS value FROM pg_attribute a WHERE a.attrelid = ${oid} AND a.attname = $3`,
        [schema, table, column],
      ),
    schema: (schema) => () =>
      ask("SELECT obj_description(oid, 'pg_namespace') AS value FROM pg_namespace WHERE nspname = $1", [schema]),
    database: () => () =>
      ask("SELECT shobj_description(oid, 'pg_database') AS value FROM pg_database WHERE datname = $1", ['shop']),
    owner: (schema, table) => () =>
      ask(`SELECT pg_get_userbyid(relowner) AS value FROM pg_class WHERE oid = ${oid}`, [schema, table]),
    close: () => client.end(),
  };
}

/** The sample database on MariaDB. */
export interface SampleMariadb {
  readonly table: (table: string) => Probe;
  readonly column: (table: string, column: string) => Probe;
  readonly schema: () => Probe;
  close(): Promise<void>;
}

/** Creates the database `crm` with its sample objects. */
export async function createSampleMariadb(server: MariadbServer): Promise<SampleMariadb> {
  const { host, port, user, password } = server;
  const connection = await mysql.createConnection({ host, port, user, password });
  // The server is stopped while the demo's own connection may still be open.
  connection.on('error', () => undefined);
  await connection.query('CREATE DATABASE crm');
  await connection.query(
    "CREATE TABLE crm.contacts (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, email varchar(200) NOT NULL DEFAULT '', created timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp())",
  );
  const ask = async (sql: string, values: readonly string[]): Promise<string | undefined> => {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(sql, [...values]);
    const value: unknown = rows[0]?.value;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    table: (table) => () =>
      ask('SELECT table_comment AS value FROM information_schema.tables WHERE table_schema = ? AND table_name = ?', [
        'crm',
        table,
      ]),
    column: (table, column) => () =>
      ask(
        'SELECT column_comment AS value FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ?',
        ['crm', table, column],
      ),
    schema: () => () =>
      ask('SELECT schema_comment AS value FROM information_schema.schemata WHERE schema_name = ?', ['crm']),
    close: () => connection.end(),
  };
}

import pg from 'pg';
import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { dumpPostgres, postgresDumpKey } from './postgres-dump.ts';
import { loggedStatements } from './postgres-log.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** As wild as PostgreSQL lets names be: at most 63 bytes, anything but NUL. */
const HOSTILE_NAMES = [
  'it\'s "quoted"',
  'back\\slash\\',
  'new\nline\r\n',
  'dots.and blanks ',
  '--comment /* open',
  '$$ $tag$ {brace}',
  'emoji 😀 שלום',
  "'; DROP TABLE canary; --",
  'MiXeD',
  'x'.repeat(63),
];

/** `CREATE EXTENSION` of a foreign data wrapper is not needed: a wrapper without a handler can hold foreign tables. */
const OBJECTS = `
CREATE ROLE backflow LOGIN PASSWORD 'role secret ''%''';
CREATE ROLE sales NOLOGIN; CREATE ROLE finance NOLOGIN; CREATE ROLE locked_away NOLOGIN;
GRANT sales, finance TO backflow;
ALTER ROLE backflow CREATEDB;
CREATE SCHEMA app AUTHORIZATION backflow;
CREATE SCHEMA annex AUTHORIZATION backflow;
GRANT CREATE, USAGE ON SCHEMA app TO sales, finance;
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere;
GRANT USAGE ON FOREIGN SERVER nowhere TO backflow;
SET ROLE backflow;
CREATE TABLE app.orders (id int PRIMARY KEY, note text DEFAULT 'n', amount numeric CHECK (amount > 0));
CREATE TABLE app.customers (id int, name text);
CREATE TABLE app.parts (id int, at date) PARTITION BY RANGE (at);
CREATE TABLE app.parts_2026 PARTITION OF app.parts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE VIEW app.order_view AS SELECT id, note FROM app.orders;
CREATE MATERIALIZED VIEW app.order_totals AS SELECT id, amount FROM app.orders;
CREATE FOREIGN TABLE app.remote (id int, x text) SERVER nowhere;
CREATE TABLE app.canary (id int);
COMMENT ON TABLE app.canary IS 'sings';
RESET ROLE;
CREATE SCHEMA secret AUTHORIZATION locked_away;
GRANT USAGE ON SCHEMA secret TO backflow;
CREATE TABLE secret.vault (id int);
ALTER TABLE secret.vault OWNER TO locked_away;
COMMENT ON TABLE secret.vault IS 'closed';
`;

export const SHOP = 'shop';

export function ref(level: ObjectRef['level'], ...names: string[]): ObjectRef {
  const [schema, table, column] = names;
  const entityType = level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table';
  return {
    level,
    entityType,
    fqn: ['pg', SHOP, ...names].join('.'),
    service: 'pg',
    database: SHOP,
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

const TABLES = [
  ['orders', 'table', 'note'],
  ['customers', 'table', 'name'],
  ['parts', 'partitioned table', 'at'],
  ['order_view', 'view', 'note'],
  ['order_totals', 'materialized view', 'amount'],
  ['remote', 'foreign table', 'x'],
] as const;

const objects: readonly WritableObject[] = [
  { ref: ref('database'), kind: 'database' },
  { ref: ref('schema', 'annex'), kind: 'schema' },
  ...TABLES.flatMap(([table, kind, column]) => [
    { ref: ref('table', 'app', table), kind },
    { ref: ref('column', 'app', table, 'id'), kind },
    { ref: ref('column', 'app', table, column), kind },
  ]),
];

const hostileObjects: readonly WritableObject[] = HOSTILE_NAMES.flatMap((name) => [
  { ref: ref('schema', name), kind: 'schema' },
  { ref: ref('table', name, name), kind: 'table' },
  { ref: ref('column', name, name, name), kind: 'table' },
]);

export interface PostgresHarness extends RunningHarness {
  readonly server: PostgresServer;
  /** A superuser's connection to the sample database. */
  readonly admin: pg.Client;
}

/** A real server with a sample database, whose connector logs in as an ordinary role with the documented privileges. */
export async function startPostgresHarness(settings: Readonly<Record<string, string>> = {}): Promise<PostgresHarness> {
  let log = '';
  const server = await startPostgres({
    settings: { log_statement: 'all', log_line_prefix: '@@%a@@', log_min_messages: 'log', ...settings },
    onLog: (text) => {
      log += text;
    },
  });
  const root = await connect(server, 'postgres');
  await root.query('CREATE DATABASE shop');
  const admin = await connect(server, SHOP);
  await admin.query('SET standard_conforming_strings = on');
  await admin.query(OBJECTS);
  await admin.query('ALTER DATABASE shop OWNER TO backflow');
  await admin.query('SET ROLE backflow');
  for (const name of HOSTILE_NAMES.map((one) => admin.escapeIdentifier(one))) {
    await admin.query(`CREATE SCHEMA ${name}; CREATE TABLE ${name}.${name} (${name} int, other int)`);
  }
  await admin.query('RESET ROLE');
  const clients = new Map([
    ['postgres', root],
    [SHOP, admin],
  ]);
  let marks = 0;
  const connection = {
    ...server.connection(SHOP),
    username: 'backflow',
    authType: { password: "role secret '%'" },
  };
  const harness: ConformanceHarness = {
    connector: postgresConnector,
    connection,
    wrongCredentials: { ...connection, authType: { password: 'wrong secret' } },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: ["role secret '%'", 'wrong secret'],
    objects,
    hostileObjects,
    missing: [
      { what: 'a schema', ref: ref('schema', 'gone') },
      { what: 'a table', ref: ref('table', 'app', 'gone') },
      { what: 'a table of a missing schema', ref: ref('table', 'gone', 'orders') },
      { what: 'a column', ref: ref('column', 'app', 'orders', 'gone') },
      { what: 'a column of a missing table', ref: ref('column', 'app', 'gone', 'id') },
      { what: 'a table in other case', ref: ref('table', 'APP', 'ORDERS') },
      { what: 'a database that is not covered', ref: { ...ref('database'), database: 'postgres' } },
      { what: 'a name that would be cut to an existing one', ref: ref('schema', 'x'.repeat(64)) },
    ],
    principals: { first: 'sales', second: 'finance', missing: 'nobody"here' },
    forbidden: { ref: ref('table', 'secret', 'vault'), kind: 'table' },
    dump: () => dumpPostgres(clients),
    dumpKeys: (object, aspect) => [postgresDumpKey(object, aspect)],
    async executed() {
      // A later line of our own proves that everything before it is in the log.
      marks += 1;
      await admin.query(`SELECT 'mark ${marks}'`);
      while (!log.includes(`'mark ${marks}'`)) await new Promise((resolve) => setTimeout(resolve, 2));
      const statements = loggedStatements(log, /^backflow\//);
      log = '';
      return statements;
    },
    async breakConnections() {
      await root.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'backflow/%'",
      );
    },
    async hold(object) {
      const holder = await connect(server, SHOP);
      const name = [object.schema, object.table].map((part) => holder.escapeIdentifier(part ?? '')).join('.');
      await holder.query(`BEGIN; LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
      return () => holder.end();
    },
    templateFor(object, text) {
      const names = [object.schema, object.table, object.column?.[0]].filter((name) => name !== undefined);
      const quoted = names.map((name) => admin.escapeIdentifier(name)).join('.');
      const target = {
        database: `DATABASE ${SHOP}`,
        schema: `SCHEMA ${quoted}`,
        table: `TABLE ${quoted}`,
        column: `COLUMN ${quoted}`,
      };
      const kind = objects.find((one) => one.ref.level === object.level && one.ref.table === object.table)?.kind;
      const address =
        object.level === 'table' && kind !== undefined
          ? `${kind.replace('partitioned ', '')} ${quoted}`
          : target[object.level];
      return [
        `comment on ${address} is 'interim'`,
        `comment on ${address} is ${admin.escapeLiteral(text)} -- of a template`,
      ];
    },
  };
  return {
    harness,
    server,
    admin,
    async stop() {
      await Promise.all([root.end(), admin.end()]);
      await server.stop();
    },
  };
}

async function connect(server: PostgresServer, database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url(database) });
  client.on('error', () => {});
  await client.connect();
  return client;
}

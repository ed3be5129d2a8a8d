import type { ClickHouseClient } from '@clickhouse/client';
import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { backquoted, clickhouseDumpKey, dumpClickhouse, singleQuoted } from './clickhouse-dump.ts';
import { startClickhouse } from './clickhouse-server.ts';

/** As wild as the server lets names be; it keeps them as file names, where all but ASCII letters, digits and `_` take up three or more. */
const HOSTILE_NAMES = [
  'it\'s "quoted"',
  '`back`ticks``',
  'back\\slash\\',
  'new\nline\r\n!',
  'dots.and blanks',
  '--comment /* open',
  '*/ # {brace} $$ %_',
  '😀 שלום é',
  "'; DROP TABLE canary; --",
  'COMMENT',
  '‘smart’ “quotes” − minus',
  'x'.repeat(80),
];

const PASSWORD = "account secret '%'";

/** Sample databases; `app` and `annex` are their names. */
function sampleStatements(app: string, annex: string): readonly string[] {
  return [
    `CREATE DATABASE ${app} COMMENT 'first'`,
    `CREATE DATABASE ${annex} ENGINE = Memory`,
    `CREATE TABLE ${app}.orders (id UInt64 COMMENT 'key', note String DEFAULT 'it''s', item Nested(price Decimal(10, 2), name String),
      place Tuple(city String, zip String)) ENGINE = MergeTree ORDER BY id COMMENT 'all orders'`,
    `CREATE TABLE ${app}.customers (id UInt64, name String) ENGINE = Memory`,
    `CREATE VIEW ${app}.order_view AS SELECT id, note FROM ${app}.orders`,
    `CREATE TABLE ${app}.totals (id UInt64, n UInt64) ENGINE = MergeTree ORDER BY id`,
    `CREATE MATERIALIZED VIEW ${app}.order_totals TO ${app}.totals AS SELECT id, toUInt64(1) AS n FROM ${app}.orders`,
    `CREATE MATERIALIZED VIEW ${app}.order_log ENGINE = MergeTree ORDER BY id AS SELECT id FROM ${app}.orders`,
    `CREATE DICTIONARY ${app}.names (id UInt64, name String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)`,
    `CREATE TABLE ${app}.canary (id UInt64 COMMENT 'chirps') ENGINE = Memory COMMENT 'sings'`,
  ];
}

/** The sample databases of the test server, and one that only its administrator may change. */
export const OBJECTS: readonly string[] = [
  ...sampleStatements('app', 'annex'),
  'CREATE DATABASE secret',
  "CREATE TABLE secret.vault (id UInt64) ENGINE = Memory COMMENT 'closed'",
];

export function ref(level: ObjectRef['level'], ...names: string[]): ObjectRef {
  const [schema, table, ...column] = names;
  return {
    level,
    entityType: level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table',
    fqn: ['click', 'default', ...names].join('.'),
    service: 'click',
    database: 'default',
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column.length === 0 ? {} : { column }),
  };
}

function writableObjects(app: string, annex: string): readonly WritableObject[] {
  return [
    { ref: ref('database'), kind: 'server' },
    { ref: ref('schema', app), kind: 'database' },
    { ref: ref('schema', annex), kind: 'database' },
    { ref: ref('table', app, 'orders'), kind: 'table' },
    { ref: ref('column', app, 'orders', 'id'), kind: 'table' },
    { ref: ref('column', app, 'orders', 'item', 'price'), kind: 'table' },
    { ref: ref('column', app, 'orders', 'item.name'), kind: 'table' },
    { ref: ref('table', app, 'customers'), kind: 'table' },
    { ref: ref('column', app, 'customers', 'id'), kind: 'table' },
    { ref: ref('column', app, 'customers', 'name'), kind: 'table' },
    { ref: ref('table', app, 'order_view'), kind: 'view' },
    { ref: ref('column', app, 'order_view', 'id'), kind: 'view' },
    { ref: ref('table', app, 'order_totals'), kind: 'materialized view' },
    { ref: ref('column', app, 'order_totals', 'n'), kind: 'materialized view' },
    { ref: ref('table', app, 'order_log'), kind: 'materialized view' },
    { ref: ref('table', app, 'names'), kind: 'dictionary' },
  ];
}

/** What the harness of the test server and that of a user's own have in common. */
export interface ClickhouseSetting {
  readonly admin: ClickHouseClient;
  /** In front of the name of each database; empty on the test server. */
  readonly prefix: string;
  /** Connection JSON for the connector. */
  readonly connection: Readonly<Record<string, unknown>> & { readonly password: string };
  /** What the connector has sent since the last call. */
  journal(): Promise<readonly string[]>;
  breakConnections(): Promise<void>;
  hold(text: string): Promise<() => Promise<void>>;
}

/** Makes the sample databases and describes them to the conformance kit. */
export async function clickhouseHarness(setting: ClickhouseSetting): Promise<ConformanceHarness> {
  const { admin, prefix, connection } = setting;
  const [app, annex] = [`${prefix}app`, `${prefix}annex`];
  for (const query of sampleStatements(backquoted(app), backquoted(annex))) await admin.command({ query });
  for (const name of HOSTILE_NAMES) {
    const [database, table] = [backquoted(prefix + name), backquoted(name)];
    await admin.command({ query: `CREATE DATABASE ${database}` });
    await admin.command({ query: `CREATE TABLE ${database}.${table} (${table} UInt8, other UInt8) ENGINE = Memory` });
  }
  return {
    connector: clickhouseConnector,
    connection,
    wrongCredentials: { ...connection, password: 'wrong secret' },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [connection.password, 'wrong secret'],
    objects: writableObjects(app, annex),
    hostileObjects: HOSTILE_NAMES.flatMap((name) => [
      { ref: ref('schema', prefix + name), kind: 'database' },
      { ref: ref('table', prefix + name, name), kind: 'table' },
      { ref: ref('column', prefix + name, name, name), kind: 'table' },
    ]),
    missing: [
      { what: 'a schema', ref: ref('schema', `${prefix}gone`) },
      { what: 'a table', ref: ref('table', app, 'gone') },
      { what: 'a table of a missing schema', ref: ref('table', `${prefix}gone`, 'orders') },
      { what: 'a column', ref: ref('column', app, 'orders', 'gone') },
      { what: 'a part of a missing column', ref: ref('column', app, 'orders', 'gone', 'part') },
      { what: 'a column of a missing table', ref: ref('column', app, 'gone', 'id') },
      { what: 'a table in other case', ref: ref('table', app, 'ORDERS') },
    ],
    dump: () => dumpClickhouse(admin, prefix),
    dumpKeys: (object) => [clickhouseDumpKey(object)],
    async executed() {
      const statements = await setting.journal();
      return statements.map((statement) => statement.replace(/ \/\*traceparent='[-0-9a-f]+'\*\/$/, ''));
    },
    breakConnections: () => setting.breakConnections(),
    hold: ({ schema, table }) => setting.hold(`ALTER TABLE ${backquoted(schema ?? '')}.${backquoted(table ?? '')}`),
    templateFor(object, text) {
      const [schema, table] = [object.schema, object.table].map((name) => backquoted(name ?? ''));
      const target = object.level === 'schema' ? `database ${schema}` : `table ${schema}.${table}`;
      const column = backquoted(object.column?.join('.') ?? '');
      const action = object.level === 'column' ? `comment column ${column}` : 'modify comment';
      return [
        `alter ${target} ${action} 'interim'`,
        `alter ${target} ${action} ${singleQuoted(text)} -- of a template`,
      ];
    },
  };
}

/** All that writing comments takes, beside seeing the objects. */
export const WRITING = 'ALTER MODIFY COMMENT, ALTER COMMENT COLUMN, ALTER MODIFY DATABASE COMMENT';

/** The real engine with sample databases, whose connector logs in as an account with the documented privileges. */
export async function startClickhouseHarness(): Promise<RunningHarness> {
  const databases = ['app', 'annex', ...HOSTILE_NAMES].map(backquoted);
  const grants = [
    ...databases.map((database) => `${WRITING} ON ${database}.*`),
    'SHOW TABLES, SHOW COLUMNS ON secret.*',
  ];
  const server = await startClickhouse({ accounts: [{ user: 'backflow', password: PASSWORD, grants }] });
  const connection = {
    type: 'Clickhouse',
    scheme: 'clickhouse+http',
    username: 'backflow',
    password: PASSWORD,
    hostPort: `${server.host}:${server.port}`,
    databaseName: 'default',
  };
  await server.admin.command({ query: 'CREATE DATABASE secret' });
  await server.admin.command({ query: "CREATE TABLE secret.vault (id UInt64) ENGINE = Memory COMMENT 'closed'" });
  const harness = await clickhouseHarness({ ...server, prefix: '', connection });
  const forbidden = { ref: ref('table', 'secret', 'vault'), kind: 'table' };
  return { harness: { ...harness, forbidden }, stop: () => server.stop() };
}

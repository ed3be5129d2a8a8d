import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { backquoted, clickhouseDumpKey, dumpClickhouse, singleQuoted } from './clickhouse-dump.ts';
import { type ClickhouseServer, startClickhouse, type TEST_CLUSTER } from './clickhouse-server.ts';

/** As wild as the server lets names be: a file name of some 210 characters, in which all but ASCII letters, digits and `_` take up three or more. */
const HOSTILE_NAMES = [
  'it\'s "quoted"',
  '`back`ticks``',
  'back\\slash\\',
  'new\nline\r\n!',
  'dots and blanks',
  '--comment /* open',
  '*/ # {brace} $$ %_',
  '😀 שלום é',
  "'; DROP TABLE canary; --",
  'MiXeD',
  'COMMENT',
  '‘smart’ “quotes” − minus',
  'x'.repeat(100),
];

const PASSWORD = "account secret '%'";

export const OBJECTS = [
  "CREATE DATABASE app COMMENT 'first'",
  'CREATE DATABASE annex ENGINE = Memory',
  'CREATE DATABASE secret',
  `CREATE TABLE app.orders (id UInt64 COMMENT 'key', note String DEFAULT 'it''s', item Nested(price Decimal(10, 2), name String),
    place Tuple(city String, zip String)) ENGINE = MergeTree ORDER BY id COMMENT 'all orders'`,
  'CREATE TABLE app.customers (id UInt64, name String) ENGINE = Memory',
  'CREATE VIEW app.order_view AS SELECT id, note FROM app.orders',
  'CREATE TABLE app.totals (id UInt64, n UInt64) ENGINE = MergeTree ORDER BY id',
  'CREATE MATERIALIZED VIEW app.order_totals TO app.totals AS SELECT id, toUInt64(1) AS n FROM app.orders',
  'CREATE MATERIALIZED VIEW app.order_log ENGINE = MergeTree ORDER BY id AS SELECT id FROM app.orders',
  "CREATE DICTIONARY app.names (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'app' TABLE 'customers')) LAYOUT(FLAT()) LIFETIME(0)",
  "CREATE TABLE app.canary (id UInt64 COMMENT 'chirps') ENGINE = Memory COMMENT 'sings'",
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

const objects: readonly WritableObject[] = [
  { ref: ref('database'), kind: 'server' },
  { ref: ref('schema', 'app'), kind: 'database' },
  { ref: ref('schema', 'annex'), kind: 'database' },
  { ref: ref('table', 'app', 'orders'), kind: 'table' },
  { ref: ref('column', 'app', 'orders', 'id'), kind: 'table' },
  { ref: ref('column', 'app', 'orders', 'item', 'price'), kind: 'table' },
  { ref: ref('column', 'app', 'orders', 'item.name'), kind: 'table' },
  { ref: ref('table', 'app', 'customers'), kind: 'table' },
  { ref: ref('column', 'app', 'customers', 'id'), kind: 'table' },
  { ref: ref('column', 'app', 'customers', 'name'), kind: 'table' },
  { ref: ref('table', 'app', 'order_view'), kind: 'view' },
  { ref: ref('column', 'app', 'order_view', 'id'), kind: 'view' },
  { ref: ref('table', 'app', 'order_totals'), kind: 'materialized view' },
  { ref: ref('table', 'app', 'order_log'), kind: 'materialized view' },
  { ref: ref('table', 'app', 'names'), kind: 'dictionary' },
];

const hostileObjects: readonly WritableObject[] = HOSTILE_NAMES.flatMap((name) => [
  { ref: ref('schema', name), kind: 'database' },
  { ref: ref('table', name, name), kind: 'table' },
  { ref: ref('column', name, name, name), kind: 'table' },
]);

export interface ClickhouseHarness extends RunningHarness {
  readonly server: ClickhouseServer;
}

export const WRITING = 'ALTER MODIFY COMMENT, ALTER COMMENT COLUMN, ALTER MODIFY DATABASE COMMENT';

/** The real engine with sample databases, whose connector logs in as an account with the documented privileges. */
export async function startClickhouseHarness(cluster?: typeof TEST_CLUSTER): Promise<ClickhouseHarness> {
  const databases = ['app', 'annex', ...HOSTILE_NAMES].map(backquoted);
  const grants = [
    ...databases.map((database) => `${WRITING} ON ${database}.*`),
    'SHOW TABLES, SHOW COLUMNS ON secret.*',
    ...(cluster === undefined
      ? []
      : [
          'CLUSTER, REMOTE ON *.*',
          'SELECT ON system.databases',
          'SELECT ON system.tables',
          'SELECT ON system.columns',
        ]),
  ];
  const server = await startClickhouse({ accounts: [{ user: 'backflow', password: PASSWORD, grants }] });
  const { admin } = server;
  for (const query of OBJECTS) await admin.command({ query });
  for (const name of HOSTILE_NAMES.map(backquoted)) {
    await admin.command({ query: `CREATE DATABASE ${name}` });
    await admin.command({ query: `CREATE TABLE ${name}.${name} (${name} UInt8, other UInt8) ENGINE = Memory` });
  }
  const connection = {
    type: 'Clickhouse',
    scheme: 'clickhouse+http',
    username: 'backflow',
    password: PASSWORD,
    hostPort: `${server.host}:${server.port}`,
    databaseName: 'default',
    ...(cluster === undefined ? {} : { backflow: { cluster } }),
  };
  const harness: ConformanceHarness = {
    connector: clickhouseConnector,
    connection,
    wrongCredentials: { ...connection, password: 'wrong secret' },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [PASSWORD, 'wrong secret'],
    objects,
    hostileObjects,
    missing: [
      { what: 'a schema', ref: ref('schema', 'gone') },
      { what: 'a table', ref: ref('table', 'app', 'gone') },
      { what: 'a table of a missing schema', ref: ref('table', 'gone', 'orders') },
      { what: 'a column', ref: ref('column', 'app', 'orders', 'gone') },
      { what: 'a part of a missing column', ref: ref('column', 'app', 'orders', 'gone', 'part') },
      { what: 'a column of a missing table', ref: ref('column', 'app', 'gone', 'id') },
      { what: 'a table in other case', ref: ref('table', 'app', 'ORDERS') },
    ],
    forbidden: { ref: ref('table', 'secret', 'vault'), kind: 'table' },
    dump: () => dumpClickhouse(admin),
    dumpKeys: (object) => [clickhouseDumpKey(object)],
    async executed() {
      const statements = await server.journal();
      return statements.map((statement) => statement.replace(/ \/\*traceparent='[-0-9a-f]+'\*\/$/, ''));
    },
    breakConnections: () => server.breakConnections(),
    hold: (object) => server.hold(`ALTER TABLE ${backquoted(object.schema ?? '')}.${backquoted(object.table ?? '')}`),
    templateFor(object, text) {
      const [schema, table] = [object.schema, object.table].map((name) => backquoted(name ?? ''));
      const target = object.level === 'schema' ? `database ${schema}` : `table ${schema}.${table}`;
      const action =
        object.level === 'column' ? `comment column ${backquoted(object.column?.join('.') ?? '')}` : 'modify comment';
      return [
        `alter ${target} ${action} 'interim'`,
        `alter ${target} ${action} ${singleQuoted(text)} -- of a template`,
      ];
    },
  };
  return {
    harness,
    server,
    stop: () => server.stop(),
  };
}

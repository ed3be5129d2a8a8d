import {
  type Connection,
  createConnection,
  escapeId,
  escape as escapeLiteral,
  type RowDataPacket,
} from 'mysql2/promise';
import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from './mariadb-server.ts';
import { dumpMysql, mysqlDumpKey } from './mysql-dump.ts';

/** As wild as the server lets names be: 64 characters of the Basic Multilingual Plane, no blank at the end. */
const HOSTILE_NAMES = [
  'it\'s "quoted"',
  '`back`ticks``',
  'back\\slash\\',
  'new\nline\r\n!',
  'dots.and blanks',
  '--comment /* open',
  '*/ /*!50000 x',
  '# {brace} $$ %_',
  'שלום é',
  "'; DROP TABLE canary; --",
  'MiXeD',
  'COMMENT',
  'x'.repeat(64),
];

const PASSWORD = "account secret '%'";

/** The definition of every column that a template of the kit may restate. */
const PLAIN = 'varchar(20) DEFAULT NULL';

const OBJECTS = [
  'CREATE DATABASE app',
  "CREATE DATABASE annex CHARACTER SET latin1 COMMENT 'first'",
  'CREATE DATABASE secret',
  `CREATE TABLE app.orders (id int NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'key', note ${PLAIN},
    amount decimal(10,2) NOT NULL DEFAULT 1.50, KEY by_note (note), CONSTRAINT positive CHECK (amount > 0)) COMMENT 'all orders'`,
  `CREATE TABLE app.customers (name ${PLAIN}, at timestamp NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), note ${PLAIN})`,
  `CREATE TABLE app.versioned (id int, note ${PLAIN}) WITH SYSTEM VERSIONING`,
  'CREATE VIEW app.order_view AS SELECT id, note FROM app.orders',
  "CREATE TABLE app.canary (id int COMMENT 'chirps') COMMENT 'sings'",
  "CREATE TABLE secret.vault (id int) COMMENT 'closed'",
];

const GRANTS = [
  'GRANT SELECT, ALTER, LOCK TABLES ON app.* TO backflow',
  'GRANT ALTER ON annex.* TO backflow',
  'GRANT SELECT ON secret.* TO backflow',
];

export function ref(level: ObjectRef['level'], ...names: string[]): ObjectRef {
  const [schema, table, column] = names;
  return {
    level,
    entityType: level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table',
    fqn: ['maria', 'default', ...names].join('.'),
    service: 'maria',
    database: 'default',
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

const objects: readonly WritableObject[] = [
  { ref: ref('database'), kind: 'server' },
  { ref: ref('schema', 'annex'), kind: 'database' },
  { ref: ref('table', 'app', 'versioned'), kind: 'system versioned table' },
  { ref: ref('table', 'app', 'orders'), kind: 'table' },
  { ref: ref('table', 'app', 'customers'), kind: 'table' },
  { ref: ref('column', 'app', 'orders', 'id'), kind: 'table' },
  { ref: ref('column', 'app', 'orders', 'amount'), kind: 'table' },
  { ref: ref('column', 'app', 'customers', 'at'), kind: 'table' },
  { ref: ref('column', 'app', 'orders', 'note'), kind: 'table' },
];

const hostileObjects: readonly WritableObject[] = HOSTILE_NAMES.flatMap((name) => [
  { ref: ref('schema', name), kind: 'database' },
  { ref: ref('table', name, name), kind: 'table' },
  { ref: ref('column', name, name, name), kind: 'table' },
]);

export interface MysqlHarness extends RunningHarness {
  readonly server: MariadbServer;
  /** The root account's connection. */
  readonly admin: Connection;
}

/** A real MariaDB with sample databases, whose connector logs in as an account with the documented privileges. */
export async function startMysqlHarness(...serverArguments: readonly string[]): Promise<MysqlHarness> {
  const server = await startTestMariadb('--general-log=1', '--log-output=TABLE', ...serverArguments);
  const admin = await adminOf(server);
  await admin.query(`CREATE USER backflow IDENTIFIED BY ${escapeLiteral(PASSWORD)}`);
  for (const statement of [...OBJECTS, ...GRANTS]) await admin.query(statement);
  for (const name of HOSTILE_NAMES) {
    const quoted = escapeId(name, true);
    await admin.query(`CREATE DATABASE ${quoted}`);
    await admin.query(`CREATE TABLE ${quoted}.${quoted} (${quoted} ${PLAIN}, other int)`);
    await admin.query(
      `GRANT SELECT, ALTER, LOCK TABLES ON ${escapeId(name.replaceAll(/[_%\\]/g, '\\$&'), true)}.* TO backflow`,
    );
  }
  const connection = {
    type: 'Mysql',
    username: 'backflow',
    authType: { password: PASSWORD },
    hostPort: `${server.host}:${server.port}`,
    databaseName: 'default',
  };
  const harness: ConformanceHarness = {
    connector: mysqlConnector,
    connection,
    wrongCredentials: { ...connection, authType: { password: 'wrong secret' } },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [PASSWORD, 'wrong secret'],
    objects,
    hostileObjects,
    missing: [
      { what: 'a schema', ref: ref('schema', 'gone') },
      { what: 'a table', ref: ref('table', 'app', 'gone') },
      { what: 'a table of a missing schema', ref: ref('table', 'gone', 'orders') },
      { what: 'a column', ref: ref('column', 'app', 'orders', 'gone') },
      { what: 'a column of a missing table', ref: ref('column', 'app', 'gone', 'id') },
      { what: 'a table in other case', ref: ref('table', 'app', 'ORDERS') },
      { what: 'a name with a blank more', ref: ref('table', 'app', 'orders ') },
    ],
    forbidden: { ref: ref('table', 'secret', 'vault'), kind: 'table' },
    // Comments are utf8mb3; the connector puts U+FFFD where the server would put a question mark.
    stored: (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
    dump: () => dumpMysql(admin),
    dumpKeys: (object) => [mysqlDumpKey(object)],
    async executed() {
      const [rows] = await admin.query<RowDataPacket[]>(
        "SELECT argument FROM mysql.general_log WHERE command_type = 'Query' AND user_host LIKE 'backflow[%' ORDER BY event_time",
      );
      await admin.query('TRUNCATE TABLE mysql.general_log');
      return rows
        .map(({ argument }) => String(argument).replace(/ \/\*traceparent='[-0-9a-f]+'\*\/$/, ''))
        .filter((statement) => !/^(SELECT|SHOW|SET|LOCK|UNLOCK)\b/.test(statement));
    },
    async breakConnections() {
      const [rows] = await admin.query<RowDataPacket[]>(
        "SELECT id FROM information_schema.processlist WHERE user = 'backflow'",
      );
      for (const { id } of rows) await admin.query(`KILL ${id}`).catch(() => undefined);
    },
    async hold(object) {
      const holder = await adminOf(server);
      await holder.query(
        `LOCK TABLES ${escapeId(object.schema ?? '', true)}.${escapeId(object.table ?? '', true)} WRITE`,
      );
      return () => holder.end();
    },
    templateFor(object, text) {
      const names = [object.schema, object.table]
        .filter((name) => name !== undefined)
        .map((name) => escapeId(name, true));
      const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;
      if (object.level === 'schema') {
        return [`alter database ${names[0]} comment 'interim'`, `alter database ${names[0]} comment ${literal(text)}`];
      }
      const column = object.column?.[0];
      const prefix = column === undefined ? '' : `modify ${escapeId(column, true)} ${PLAIN} `;
      const table = names.join('.');
      return [
        `alter table ${table} ${prefix}comment 'interim'`,
        `alter table ${table} ${prefix}comment ${literal(text)}`,
      ];
    },
  };
  return {
    harness,
    server,
    admin,
    async stop() {
      await admin.end();
      await server.stop();
    },
  };
}

/** A connection of the root account, in modes that no server-wide setting changes. */
export async function adminOf(server: MariadbServer): Promise<Connection> {
  const { host, port, user, password } = server;
  const admin = await createConnection({ host, port, user, password, charset: 'utf8mb4' });
  await admin.query("SET SESSION sql_mode='STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'");
  return admin;
}

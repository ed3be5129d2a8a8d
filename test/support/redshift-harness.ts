import type pg from 'pg';
import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { dumpPostgres, postgresDumpKey } from './postgres-dump.ts';
import { startRedshiftPeer } from './redshift-peer.ts';
import type { BackslashMode } from './redshift-tokens.ts';

/** As wild as the peer lets names be: at most 63 bytes (Redshift: 127), anything but NUL. */
const HOSTILE_NAMES = [
  'it\'s "quoted"',
  'back\\slash\\',
  'new\nline\r\n',
  'dots.and blanks ',
  '--comment /* open',
  '$$ $bf$ {brace}',
  'emoji 😀 שלום',
  "'; DROP TABLE canary; --",
  'MiXeD',
  'x'.repeat(63),
];

const PASSWORD = "role secret '%'";

/** `order_late` has no columns in the catalog, as a view WITH NO SCHEMA BINDING has none. */
const OBJECTS = `
CREATE USER backflow PASSWORD 'role secret ''%''';
CREATE USER sales; CREATE USER finance; CREATE USER locked_away;
GRANT sales, finance TO backflow;
ALTER USER backflow CREATEDB;
ALTER DATABASE shop OWNER TO backflow;
CREATE SCHEMA app AUTHORIZATION backflow;
CREATE SCHEMA annex AUTHORIZATION backflow;
CREATE SCHEMA spectrum AUTHORIZATION backflow;
GRANT CREATE, USAGE ON SCHEMA app TO sales, finance;
SET ROLE backflow;
CREATE TABLE app.orders (id int PRIMARY KEY, note text DEFAULT 'n', amount numeric CHECK (amount > 0));
CREATE TABLE app.customers (id int, name text);
CREATE VIEW app.order_view AS SELECT id, note FROM app.orders;
CREATE VIEW app.order_totals AS SELECT id, amount FROM app.orders;
CREATE VIEW app.order_late AS SELECT;
CREATE TABLE app.canary (id int);
COMMENT ON TABLE app.canary IS 'sings';
RESET ROLE;
CREATE SCHEMA secret AUTHORIZATION locked_away;
GRANT USAGE ON SCHEMA secret TO backflow;
CREATE TABLE secret.vault (id int);
ALTER TABLE secret.vault OWNER TO locked_away;
COMMENT ON TABLE secret.vault IS 'closed';
INSERT INTO redshift_catalog.materialized_views VALUES ('app', 'order_totals');
INSERT INTO redshift_catalog.late_binding_columns VALUES ('app', 'order_late', 'id', 'integer', 1);
INSERT INTO redshift_catalog.external_schemas VALUES ('spectrum');
INSERT INTO redshift_catalog.external_objects VALUES ('spectrum', 'clicks', 'at'), ('spectrum', 'clicks', 'url');
INSERT INTO redshift_catalog.shared_databases VALUES ('partner');
`;

export const SHOP = 'shop';

export function ref(level: ObjectRef['level'], ...names: string[]): ObjectRef {
  const [schema, table, column] = names;
  const entityType = level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table';
  return {
    level,
    entityType,
    fqn: ['rs', SHOP, ...names].join('.'),
    service: 'rs',
    database: SHOP,
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

const WITH_COLUMNS = [
  ['orders', 'table', 'note'],
  ['customers', 'table', 'name'],
  ['order_view', 'view', 'note'],
  ['order_totals', 'materialized view', 'amount'],
] as const;

const objects: readonly WritableObject[] = [
  { ref: ref('database'), kind: 'database' },
  { ref: ref('schema', 'annex'), kind: 'schema' },
  ...WITH_COLUMNS.flatMap(([table, kind, column]) => [
    { ref: ref('table', 'app', table), kind },
    { ref: ref('column', 'app', table, 'id'), kind },
    { ref: ref('column', 'app', table, column), kind },
  ]),
  { ref: ref('table', 'app', 'order_late'), kind: 'late-binding view' },
];

const hostileObjects: readonly WritableObject[] = HOSTILE_NAMES.flatMap((name) => [
  { ref: ref('schema', name), kind: 'schema' },
  { ref: ref('table', name, name), kind: 'table' },
  { ref: ref('column', name, name, name), kind: 'table' },
]);

/** What the proxy sees besides the writes. */
export const NOT_A_WRITE = /^\s*(BEGIN|COMMIT|ROLLBACK|SELECT|SET)\b/i;

/** The peer with a sample database, whose connector logs in as an ordinary user that owns the objects. */
export async function startRedshiftHarness(backslash: BackslashMode): Promise<RunningHarness> {
  const peer = await startRedshiftPeer({ backslash });
  const admin = await peer.createDatabase(SHOP);
  await admin.query(OBJECTS);
  await admin.query('SET ROLE backflow');
  for (const name of HOSTILE_NAMES.map((one) => admin.escapeIdentifier(one))) {
    await admin.query(`CREATE SCHEMA ${name}; CREATE TABLE ${name}.${name} (${name} int, other int)`);
  }
  await admin.query('RESET ROLE');
  const clients = new Map([[SHOP, admin]]);
  const connection = peer.connection('backflow', PASSWORD, SHOP);
  const harness: ConformanceHarness = {
    connector: redshiftConnector,
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
      { what: 'a column of a missing table', ref: ref('column', 'app', 'gone', 'id') },
      { what: 'a table in other case', ref: ref('table', 'APP', 'ORDERS') },
      { what: 'a table in lower case', ref: ref('table', 'mixed', 'mixed') },
      { what: 'an external table that is not there', ref: ref('table', 'spectrum', 'gone') },
      { what: 'a database that is not covered', ref: { ...ref('database'), database: 'postgres' } },
      { what: 'a name that would be cut to an existing one', ref: ref('schema', 'x'.repeat(128)) },
    ],
    principals: { first: 'sales', second: 'finance', missing: 'nobody"here' },
    forbidden: { ref: ref('table', 'secret', 'vault'), kind: 'table' },
    dump: () => dumpPostgres(clients),
    dumpKeys: (object, aspect) => [postgresDumpKey(object, aspect)],
    executed: () =>
      Promise.resolve(
        peer.proxy
          .statements()
          .filter((statement) => !NOT_A_WRITE.test(statement))
          .map((statement) => statement.replace(/ \/\*traceparent='[0-9a-f-]{55}'\*\/$/, '')),
      ),
    breakConnections: () => Promise.resolve(peer.proxy.breakConnections()),
    async hold(object) {
      const holder = await peer.admin(SHOP);
      const name = [object.schema, object.table].map((part) => holder.escapeIdentifier(part ?? '')).join('.');
      await holder.query(`BEGIN; LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
      return async () => {
        await holder.query('ROLLBACK');
      };
    },
    templateFor: (object, text) => templateFor(admin, object, text),
  };
  return { harness, stop: () => peer.stop() };
}

function templateFor(quoting: pg.Client, object: ObjectRef, text: string): readonly string[] {
  const names = [object.schema, object.table, object.column?.[0]].filter((name) => name !== undefined);
  const kind = objects.find((one) => one.ref.level === object.level && one.ref.table === object.table)?.kind;
  const word = object.level === 'table' ? (kind === 'table' ? 'table' : 'view') : object.level;
  const address = `${word} ${object.level === 'database' ? SHOP : names.map((name) => quoting.escapeIdentifier(name)).join('.')}`;
  return [
    `comment on ${address} is 'interim'`,
    `comment on ${address} is '${text.replaceAll("'", "''")}' -- of a template`,
  ];
}

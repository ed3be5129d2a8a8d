import type { ConformanceHarness, Dump, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import type { Connector } from '../../connectors/contract.ts';
import type { OracleConfig } from '../../connectors/oracle/config.ts';
import { openOracle } from '../../connectors/oracle/connection.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import type { OracleDriver } from '../../connectors/oracle/port.ts';
import { thinDriver } from '../../connectors/oracle/thin-driver.ts';
import type { Aspect } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { OracleModel, OracleModelOptions } from './oracle-model.ts';
import { OracleServer } from './oracle-server.ts';

/** As wild as Oracle lets names be: at most 128 bytes, anything but a double quote and NUL. */
export const ORACLE_HOSTILE_NAMES: readonly string[] = [
  "it's ''quoted''",
  '`back`ticks``',
  'back\\slash\\',
  'new\nline\r\n!',
  'dots.and blanks ',
  '--comment /* open',
  '*/ /*+ hint',
  "q'[x]' :bind &sub",
  'emoji 😀 שלום',
  "'; DROP TABLE canary; --",
  'MiXeD',
  'COMMENT',
  'x'.repeat(128),
];

const PASSWORD = "account secret '%'";
/** What the README tells people to grant. */
export const ORACLE_RIGHTS: readonly string[] = [
  'CREATE SESSION',
  'COMMENT ANY TABLE',
  'SELECT_CATALOG_ROLE',
  'ALTER ANY TABLE',
  'ALTER ANY MATERIALIZED VIEW',
  'ALTER SYSTEM',
];

export function ref(level: ObjectRef['level'], ...names: string[]): ObjectRef {
  const [schema, table, column] = names;
  return {
    level,
    entityType: level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table',
    fqn: ['ora', 'default', ...names].join('.'),
    service: 'ora',
    database: 'default',
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

/** The same connector over another driver. */
export function oracleOver(driver: OracleDriver): Connector<OracleConfig> {
  return { ...oracleConnector, open: (config, session) => openOracle(config, session, driver) };
}

export interface OracleModelHarness extends RunningHarness {
  readonly server: OracleServer;
  readonly connection: Readonly<Record<string, unknown>>;
}

/** The kit's objects: some by the names of ingestion (lower case) for what the dictionary has in upper case. */
export function oracleObjects(schema: string): readonly WritableObject[] {
  return [
    { ref: ref('table', schema, 'ORDERS'), kind: 'table' },
    { ref: ref('column', schema, 'ORDERS', 'ID'), kind: 'table' },
    { ref: ref('column', schema, 'ORDERS', 'note'), kind: 'table' },
    { ref: ref('table', schema.toLowerCase(), 'customers'), kind: 'table' },
    { ref: ref('column', schema.toLowerCase(), 'customers', 'name'), kind: 'table' },
    { ref: ref('column', schema.toLowerCase(), 'customers', 'at'), kind: 'table' },
    { ref: ref('table', schema, 'ORDER_VIEW'), kind: 'view' },
    { ref: ref('column', schema, 'ORDER_VIEW', 'ID'), kind: 'view' },
    { ref: ref('table', schema, 'order_totals'), kind: 'materialized view' },
    { ref: ref('column', schema, 'order_totals', 'ID'), kind: 'materialized view' },
    { ref: ref('table', schema, 'REMOTE'), kind: 'external table' },
    { ref: ref('column', schema, 'REMOTE', 'ID'), kind: 'external table' },
  ];
}

/** A model of a database with sample objects, whose connector logs in as an ordinary user with the documented privileges. */
export function startOracleModel(options: OracleModelOptions = {}): OracleModelHarness {
  const service = 'SHOPPDB';
  const connection = {
    type: 'Oracle',
    scheme: 'oracle+cx_oracle',
    username: 'backflow',
    password: PASSWORD,
    hostPort: 'oracle.invalid:1521',
    oracleConnectionType: { oracleServiceName: service },
    databaseName: 'shop',
  };
  const { connectString } = oracleConnector.spec.config.parse(connection);
  const server = new OracleServer(connectString, thinDriver, options);
  fill(server.model);
  const harness: ConformanceHarness = {
    connector: oracleOver(server.driver),
    connection,
    wrongCredentials: { ...connection, password: 'wrong secret' },
    // By the real driver.
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [PASSWORD, 'wrong secret'],
    objects: oracleObjects('APP'),
    hostileObjects: ORACLE_HOSTILE_NAMES.flatMap((name) => [
      { ref: ref('table', name, name), kind: 'table' },
      { ref: ref('column', name, name, name), kind: 'table' },
    ]),
    missing: [
      { what: 'a schema', ref: ref('schema', 'gone') },
      { what: 'a table', ref: ref('table', 'APP', 'gone') },
      { what: 'a table of a missing schema', ref: ref('table', 'gone', 'ORDERS') },
      { what: 'a column', ref: ref('column', 'APP', 'ORDERS', 'gone') },
      { what: 'a column of a missing table', ref: ref('column', 'APP', 'gone', 'ID') },
      { what: 'a table in mixed case', ref: ref('table', 'APP', 'Orders') },
      { what: 'a materialized view', ref: { ...ref('table', 'APP', 'gone'), tableType: 'MaterializedView' } },
    ],
    forbidden: { ref: ref('table', 'SYS', 'VAULT'), kind: 'table' },
    dump: async () => dumpModel(server.model),
    dumpKeys: (object, aspect) => [oracleDumpKey(object, aspect)],
    executed: async () => server.executed(),
    breakConnections: async () => server.killAll(),
    async hold(object) {
      const release = server.hold(object.schema?.toUpperCase() ?? '', object.table?.toUpperCase() ?? '');
      return async () => release();
    },
    templateFor(object, text) {
      const names = [object.schema, object.table, ...(object.column ?? [])].map(
        (name) => `"${dictionaryName(name ?? '')}"`,
      );
      const address = `${object.level === 'column' ? 'column' : 'table'} ${names.join('.')}`;
      return [
        `comment on ${address} is 'interim'`,
        `comment on ${address} is '${text.replaceAll("'", "''")}' -- of a template`,
      ];
    },
  };
  return { harness, server, connection, stop: async () => server.killAll() };
}

function fill(model: OracleModel): void {
  model.addUser('SYS', 'sys', ['CREATE SESSION']);
  model.addUser('APP', 'app', ['CREATE SESSION']);
  model.addUser('BACKFLOW', PASSWORD, ORACLE_RIGHTS);
  model.addObject('APP', 'ORDERS', 'TABLE', ['ID', 'NOTE', 'AMOUNT']);
  model.addObject('APP', 'CUSTOMERS', 'TABLE', ['ID', 'NAME', 'AT']);
  model.addObject('APP', 'ORDER_VIEW', 'VIEW', ['ID', 'NOTE']);
  model.addObject('APP', 'ORDER_TOTALS', 'MATERIALIZED VIEW', ['ID', 'AMOUNT']);
  model.addObject('APP', 'REMOTE', 'EXTERNAL TABLE', ['ID', 'X']);
  model.addObject('APP', 'AUDIT_LOG', 'TABLE', ['WHAT', 'TEXT']).grants.add('BACKFLOW INSERT');
  const canary = model.addObject('APP', 'CANARY', 'TABLE', ['ID']);
  canary.comment = 'sings';
  canary.annotations.set('bird', undefined);
  model.addObject('SYS', 'VAULT', 'TABLE', ['ID']).grants.add('BACKFLOW SELECT');
  for (const name of ORACLE_HOSTILE_NAMES) {
    model.addUser(name, 'x');
    model.addObject(name, name, 'TABLE', [name, 'other']);
  }
}

/** Everything that can be written or lost: comments, annotations, the objects themselves, rows. */
export function dumpModel(model: OracleModel): Dump {
  const dump = new Map<string, string>();
  for (const object of model.objects()) {
    const { schema, name, kind, columns, grants, rows } = object;
    dump.set(JSON.stringify(['object', schema, name]), JSON.stringify([kind, [...columns.keys()], [...grants], rows]));
    for (const [column, part] of [[undefined, object] as const, ...columns]) {
      const key = (aspect: Aspect): string => dumpKey(aspect, schema, name, column);
      if (part.comment !== undefined) dump.set(key('description'), part.comment);
      const lines = [...part.annotations].flatMap(([tag, value]) =>
        (value ?? '').split('\n').map((one) => `${tag}=${one}`),
      );
      if (lines.length > 0) dump.set(key('tags'), lines.sort().join('\n'));
    }
  }
  return dump;
}

export function oracleDumpKey({ schema = '', table = '', column }: ObjectRef, aspect: Aspect): string {
  return dumpKey(aspect, dictionaryName(schema), dictionaryName(table), column?.map(dictionaryName)[0]);
}

function dumpKey(aspect: Aspect, schema: string, table: string, column: string | undefined): string {
  return JSON.stringify([aspect, schema, table, column ?? null]);
}

/** In this sample all names in lower case stand for ones in upper case, but for one that is hostile by its length. */
export function dictionaryName(name: string): string {
  return /^[a-z][a-z0-9_]{0,126}$/.test(name) ? name.toUpperCase() : name;
}

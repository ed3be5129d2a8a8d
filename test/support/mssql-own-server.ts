import { randomBytes } from 'node:crypto';
import sql from 'mssql';
import type { ConformanceHarness, RunningHarness } from '../../connectors/conformance/harness.ts';
import { mssqlConfig } from '../../connectors/mssql/config.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import { driverConfig } from '../../connectors/mssql/driver.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { mssqlDumpKey } from './mssql-dump.ts';
import { HOSTILE_NAMES, mssqlRef } from './mssql-harness.ts';
import { dumpOwnServer } from './mssql-own-dump.ts';
import { MssqlProxy } from './mssql-proxy.ts';

/** OpenMetadata's JSON from what the variable holds: that JSON itself, or `mssql://user:password@host:port?encrypt=false`. */
export function ownServerConnection(text: string): Readonly<Record<string, unknown>> {
  if (text.trim().startsWith('{')) return { ...Object(JSON.parse(text)) };
  const url = new URL(text);
  return {
    type: 'Mssql',
    hostPort: `${url.hostname}:${url.port === '' ? '1433' : url.port}`,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    encrypt: url.searchParams.get('encrypt') !== 'false',
  };
}

const quoted = (name: string) => `[${name.replaceAll(']', ']]')}]`;
const literal = (text: string) => `N'${text.replaceAll("'", "''")}'`;

/** A database and two logins of our own on somebody's server, which the suite may do with as it likes; all gone at the end. */
export async function startOwnServer(text: string): Promise<RunningHarness> {
  const json = ownServerConnection(text);
  const config = mssqlConfig.parse(json);
  const { address } = config;
  if (!('port' in address)) throw new Error('the suite needs a port: it listens in between');
  const { host, port } = address;
  if (config.encrypt !== false)
    throw new Error('the suite watches the wire, so the connection has to say encrypt: false');
  const database = `backflow_test_${randomBytes(4).toString('hex')}`;
  const principals = { first: `${database}_one`, second: `${database}_two`, missing: `${database}_nobody` };
  const pool = (name: string) =>
    new sql.ConnectionPool(driverConfig(config, name, { lane: 'suite', epoch: 0 }, [])).connect();
  const root = await pool('master');
  const logins = [principals.first, principals.second];
  try {
    return await furnish();
  } catch (error) {
    await removeAll();
    throw error;
  }

  async function removeAll(): Promise<void> {
    const clean = (statement: string) => root.request().batch(statement);
    await clean(
      `IF DB_ID(${literal(database)}) IS NOT NULL ALTER DATABASE ${quoted(database)} SET SINGLE_USER WITH ROLLBACK IMMEDIATE`,
    );
    await clean(`IF DB_ID(${literal(database)}) IS NOT NULL DROP DATABASE ${quoted(database)}`);
    for (const login of logins) await clean(`IF SUSER_ID(${literal(login)}) IS NOT NULL DROP LOGIN ${quoted(login)}`);
    await root.close();
  }

  async function furnish(): Promise<RunningHarness> {
    await root.request().batch(`CREATE DATABASE ${quoted(database)}`);
    for (const login of logins) {
      const password = literal(`${randomBytes(12).toString('base64')}aA1!`);
      await root.request().batch(`CREATE LOGIN ${quoted(login)} WITH PASSWORD = ${password}`);
    }
    const admin = await pool(database);
    const run = (statement: string) => admin.request().batch(statement);
    for (const role of logins) await run(`CREATE ROLE ${quoted(role)}`);
    for (const schema of ['app', 'annex', ...HOSTILE_NAMES]) await run(`CREATE SCHEMA ${quoted(schema)}`);
    await run(
      'CREATE TABLE app.orders (id int, note nvarchar(20)); CREATE TABLE app.customers (id int, name nvarchar(20))',
    );
    await run('CREATE VIEW app.order_view AS SELECT id, note FROM app.orders');
    for (const name of HOSTILE_NAMES.map(quoted)) await run(`CREATE TABLE ${name}.${name} (${name} int, other int)`);
    const proxy = await MssqlProxy.start(host, port);
    const connection = { ...json, hostPort: proxy.hostPort, database };
    const ref = (...args: Parameters<typeof mssqlRef>): ObjectRef => ({ ...mssqlRef(...args), database });
    const tables = [
      ['orders', 'table', 'note'],
      ['customers', 'table', 'name'],
      ['order_view', 'view', 'note'],
    ] as const;
    const harness: ConformanceHarness = {
      connector: mssqlConnector,
      connection,
      wrongCredentials: { ...connection, password: 'Wrong-Secret-1' },
      unreachable: { ...connection, hostPort: '127.0.0.1:1' },
      secrets: [String(json.password), 'Wrong-Secret-1'],
      objects: [
        { ref: ref('database'), kind: 'database' },
        { ref: ref('schema', 'annex'), kind: 'schema' },
        ...tables.flatMap(([table, kind, column]) => [
          { ref: ref('table', 'app', table), kind },
          { ref: ref('column', 'app', table, 'id'), kind },
          { ref: ref('column', 'app', table, column), kind },
        ]),
      ],
      hostileObjects: HOSTILE_NAMES.flatMap((name) => [
        { ref: ref('schema', name), kind: 'schema' },
        { ref: ref('table', name, name), kind: 'table' },
        { ref: ref('column', name, name, name), kind: 'table' },
      ]),
      missing: [
        { what: 'a schema', ref: ref('schema', 'gone') },
        { what: 'a table', ref: ref('table', 'app', 'gone') },
        { what: 'a column', ref: ref('column', 'app', 'orders', 'gone') },
        { what: 'a database that is not covered', ref: { ...ref('database'), database: 'master' } },
      ],
      principals,
      dump: () => dumpOwnServer(admin, database),
      dumpKeys: (object, aspect) => [mssqlDumpKey(object, aspect)],
      executed: async () => proxy.takeJournal(),
      breakConnections: async () => proxy.breakConnections(),
      async hold(object) {
        const transaction = admin.transaction();
        await transaction.begin();
        const name = `${quoted(object.schema ?? '')}.${quoted(object.table ?? '')}`;
        await new sql.Request(transaction).batch(`ALTER TABLE ${name} ADD held int`);
        return () => transaction.rollback();
      },
    };
    return {
      harness,
      async stop() {
        await proxy.stop();
        await admin.close();
        await removeAll();
      },
    };
  }
}

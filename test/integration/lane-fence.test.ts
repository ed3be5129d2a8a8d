import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, Connector, PlannedWrite, SessionName } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import type { DescriptionOperation, ObjectRef } from '../../src/domain/operation.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { onPostgres } from '../support/on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/until.ts';

/** A real server with one table, and what the same test needs to know of it. */
interface System {
  readonly table: ObjectRef;
  open(port: number, name: SessionName): Promise<Connection>;
  plan(operation: DescriptionOperation): ReturnType<Connector['plan']>;
  port(): number;
  comment(): Promise<string>;
}

let postgres: PostgresServer;
let mariadb: MariadbServer;

beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([startPostgres(), startTestMariadb()]);
  await onPostgres(postgres, 'postgres', (client) => client.query('CREATE TABLE t (id int)'));
  await onMariadb('CREATE DATABASE app');
  await onMariadb('CREATE TABLE app.t (id int)');
});

afterAll(() => Promise.all([postgres?.stop(), mariadb?.stop()]));

async function onMariadb(sql: string): Promise<unknown> {
  const { host, port, user, password } = mariadb;
  const connection = await createConnection({ host, port, user, password });
  try {
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    await connection.end();
  }
}

const tableOf = (service: string, database: string, schema: string): ObjectRef => ({
  level: 'table',
  entityType: 'table',
  fqn: `${service}.${database}.${schema}.t`,
  service,
  database,
  schema,
  table: 't',
});

const SYSTEMS: Readonly<Record<string, System>> = {
  PostgreSQL: {
    table: tableOf('pg', 'postgres', 'public'),
    open: (port, name) => {
      const { user, password } = postgres;
      const connection = {
        username: user,
        authType: { password },
        hostPort: `127.0.0.1:${port}`,
        database: 'postgres',
      };
      return postgresConnector.open(postgresConnector.spec.config.parse(connection), name);
    },
    plan: (operation) => postgresConnector.plan(operation, { exists: true, kind: 'table' }, {}),
    port: () => postgres.port,
    comment: () =>
      onPostgres(postgres, 'postgres', async (client) => {
        const { rows } = await client.query<{ text: string | null }>("SELECT obj_description('t'::regclass) AS text");
        return rows[0]?.text ?? '';
      }),
  },
  // Without performance_schema, as MariaDB comes: sessions have no names there.
  MariaDB: {
    table: tableOf('maria', 'default', 'app'),
    open: (port, name) => {
      const { user, password } = mariadb;
      const connection = { username: user, password, hostPort: `127.0.0.1:${port}` };
      return mysqlConnector.open(mysqlConnector.spec.config.parse(connection), name);
    },
    plan: (operation) => mysqlConnector.plan(operation, { exists: true, kind: 'table' }, {}),
    port: () => mariadb.port,
    comment: async () =>
      JSON.stringify(
        await onMariadb("SELECT table_comment AS c FROM information_schema.tables WHERE table_schema = 'app'"),
      ).slice(7, -3),
  },
};

describe.each(Object.entries(SYSTEMS))('P8 two owners of a lane on a real %s', (_, system) => {
  const { table } = system;
  const connections: Connection[] = [];
  let proxy: FaultProxy;

  beforeAll(async () => {
    proxy = await startFaultProxy(() => ({ port: system.port() }));
  });

  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await proxy.close();
  });

  async function open(port: number, name: SessionName): Promise<Connection> {
    const connection = await system.open(port, name);
    connections.push(connection);
    return connection;
  }

  function write(text: string): PlannedWrite {
    const operation: DescriptionOperation = { aspect: 'description', object: table, text };
    const plan = system.plan(operation);
    if (!plan.ok) throw new Error(plan.error.failure.code);
    return { id: 'w', operation, plan: plan.value, options: {}, source: { exists: true, kind: 'table' } };
  }

  it('a write of the earlier one that the network held back never comes after what the later one has seen', async () => {
    const earlier = await open(proxy.port, { lane: 'held', epoch: 1 });
    expect(await earlier.apply([write('the newest')])).toMatchObject([{ ok: true }]);
    proxy.set({ kind: 'stall' });
    const late = earlier.apply([write('an older one')]).then(
      () => 'written',
      () => 'refused',
    );
    // The later owner finds what it wants to write already there: it only reads.
    const later = await open(system.port(), { lane: 'held', epoch: 2 });
    expect(await later.read([table])).toMatchObject([{ description: 'the newest' }]);
    proxy.set({ kind: 'pass' });
    expect(await late).toBe('refused');
    expect(await system.comment()).toBe('the newest');
  });

  it('an earlier one that does not know yet opens no session any more that it would use', async () => {
    let valid = true;
    const earlier = await open(proxy.port, { lane: 'paused', epoch: 1, valid: () => valid });
    expect(await earlier.apply([write('by the first')])).toMatchObject([{ ok: true }]);
    const later = await open(system.port(), { lane: 'paused', epoch: 2 });
    expect(await later.apply([write('by the second')])).toMatchObject([{ ok: true }]);
    valid = false;
    await until(() => proxy.connections === 0);
    await expect(earlier.apply([write('by the first again')])).rejects.toMatchObject({ scope: 'target' });
    await expect(earlier.apply([write('by the first again')])).rejects.toMatchObject({ scope: 'target' });
    expect(await later.read([table])).toMatchObject([{ description: 'by the second' }]);
  });

  it('sessions of other lanes are left alone', async () => {
    const other = await open(system.port(), { lane: 'other', epoch: 1 });
    expect(await other.apply([write('one')])).toMatchObject([{ ok: true }]);
    const another = await open(system.port(), { lane: 'another', epoch: 2 });
    expect(await another.apply([write('two')])).toMatchObject([{ ok: true }]);
    expect(await other.apply([write('three')])).toMatchObject([{ ok: true }]);
  });
});

import type { Connection as Admin, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, PlannedWrite } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';

let server: MariadbServer;
let admin: Admin;

beforeAll(async () => {
  server = await startTestMariadb('--performance-schema=ON');
  admin = await adminOf(server);
  await admin.query('CREATE DATABASE app');
  await admin.query('CREATE TABLE app.t (id int)');
});

afterAll(async () => {
  await admin.end();
  await server.stop();
});

function open(lane: string, epoch: number): Promise<Connection> {
  const config = mysqlConnector.spec.config.parse({
    username: server.user,
    password: server.password,
    hostPort: `${server.host}:${server.port}`,
  });
  return mysqlConnector.open(config, { lane, epoch });
}

async function names(): Promise<readonly string[]> {
  const [rows] = await admin.query<RowDataPacket[]>(
    "SELECT attr_value AS name FROM performance_schema.session_connect_attrs WHERE attr_value LIKE 'backflow/%' ORDER BY name",
  );
  return rows.map(({ name }) => String(name));
}

function write(): PlannedWrite {
  const operation: DescriptionOperation = { aspect: 'description', object: ref('table', 'app', 't'), text: 'x' };
  const source = { exists: true, kind: 'table' };
  const plan = mysqlConnector.plan(operation, source, {});
  if (!plan.ok) throw new Error(plan.error.failure.code);
  return { id: 'w', operation, plan: plan.value, options: {}, source };
}

describe('P8: sessions of earlier owners of a lane', () => {
  it('are ended before the first write of a later one, and no others', async () => {
    const connections = await Promise.all([
      open('a/0', 3),
      open('a/0', 9),
      open('a/0', 5),
      open('a', 3),
      open('b/0', 3),
    ]);
    try {
      expect(await names()).toEqual([
        'backflow/a%2F0/3',
        'backflow/a%2F0/5',
        'backflow/a%2F0/9',
        'backflow/a/3',
        'backflow/b%2F0/3',
      ]);
      expect(await connections[2].apply([write()])).toMatchObject([{ ok: true }]);
      expect(await names()).toEqual(['backflow/a%2F0/5', 'backflow/a%2F0/9', 'backflow/a/3', 'backflow/b%2F0/3']);
    } finally {
      await Promise.all(connections.map((connection) => connection.close()));
    }
  });
});

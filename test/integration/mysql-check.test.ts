import type { Connection as Admin } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckReport, Connection, PlanOptions, WriteResult } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation, ObjectRef } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';

const OBJECTS = [ref('schema', 'my_app'), ref('table', 'my_app', "it's"), ref('column', 'my_app', "it's", 'note')];

let server: MariadbServer;
let admin: Admin;

beforeAll(async () => {
  server = await startTestMariadb();
  admin = await adminOf(server);
  await admin.query('CREATE DATABASE my_app');
  await admin.query("CREATE TABLE my_app.`it's` (note varchar(9) DEFAULT 'x')");
});

afterAll(async () => {
  await admin.end();
  await server.stop();
});

/** An account with these privileges and a connection of it. */
async function connect(user: string, ...grants: readonly string[]): Promise<Connection> {
  await admin.query(`CREATE USER \`${user}\`@'127.0.0.1' IDENTIFIED BY 'secret'`);
  for (const grant of grants) await admin.query(`GRANT ${grant} TO \`${user}\`@'127.0.0.1'`);
  const config = mysqlConnector.spec.config.parse({
    type: 'MariaDB',
    username: user,
    authType: { password: 'secret' },
    hostPort: `${server.host}:${server.port}`,
  });
  return mysqlConnector.open(config, { lane: 'check', epoch: 1 });
}

async function write(
  connection: Connection,
  object: ObjectRef,
  options: PlanOptions,
): Promise<WriteResult | undefined> {
  const operation: DescriptionOperation = { aspect: 'description', object, text: 'new' };
  const [source] = await connection.read([object]);
  const plan = mysqlConnector.plan(operation, source, options);
  if (source === undefined || !plan.ok) throw new Error(`refused: ${JSON.stringify(plan)}`);
  const [result] = await connection.apply([{ id: 'w', operation, plan: plan.value, options, source }]);
  return result;
}

const errors = (report: CheckReport): readonly (string | undefined)[] =>
  report.findings.filter(({ severity }) => severity === 'error').map(({ remedy }) => remedy);

describe('check', () => {
  it('names the exact GRANTs that are missing, and is content once they are given', async () => {
    const connection = await connect("o'hara", "SELECT ON my_app.`it's`");
    try {
      const before = await connection.check(OBJECTS);
      expect(before).toMatchObject({ ok: false, user: "o'hara@127.0.0.1" });
      expect(before.server).toMatch(/^MariaDB \d+\.\d+\.\d+$/);
      expect(errors(before)).toEqual([
        "GRANT ALTER ON `my\\_app`.* TO 'o''hara'@'127.0.0.1';",
        "GRANT ALTER ON `my_app`.`it's` TO 'o''hara'@'127.0.0.1';",
        "GRANT LOCK TABLES ON `my\\_app`.* TO 'o''hara'@'127.0.0.1';",
      ]);
      for (const remedy of errors(before)) await admin.query(remedy ?? '');
      expect(await connection.check(OBJECTS)).toMatchObject({ ok: true, findings: [] });
      for (const object of OBJECTS) expect(await write(connection, object, {})).toMatchObject({ ok: true });
    } finally {
      await connection.close();
    }
  });

  it('warns of objects that are not there', async () => {
    const connection = await connect('root2', 'ALL PRIVILEGES ON *.*');
    try {
      const report = await connection.check([ref('table', 'my_app', 'gone')]);
      expect(report).toMatchObject({ ok: true, findings: [{ severity: 'warning' }] });
    } finally {
      await connection.close();
    }
  });
});

describe('without the LOCK TABLES privilege', () => {
  it('columns are refused with the reason, tables are written, and a channel may accept the race', async () => {
    const connection = await connect('unlocked', "SELECT, ALTER ON my_app.`it's`");
    try {
      const column = ref('column', 'my_app', "it's", 'note');
      expect(await write(connection, column, {})).toMatchObject({
        ok: false,
        failure: { class: 'permission', scope: 'object', message: expect.stringContaining('GRANT LOCK TABLES') },
      });
      expect(await write(connection, ref('table', 'my_app', "it's"), {})).toMatchObject({ ok: true });
      expect(await write(connection, column, { acceptRace: true })).toMatchObject({
        ok: true,
        notes: [expect.stringContaining('LOCK TABLES')],
      });
      const [source] = await connection.read([column]);
      expect(source?.description).toBe('new');
    } finally {
      await connection.close();
    }
  });
});

describe('a table that is in use', () => {
  it('fails alone and as transient, after the lock timeout', async () => {
    const connection = await connect('waiting', 'ALL PRIVILEGES ON *.*');
    const holder = await adminOf(server);
    try {
      await holder.query("LOCK TABLES my_app.`it's` WRITE");
      for (const object of OBJECTS.slice(2)) {
        const operation: DescriptionOperation = { aspect: 'description', object, text: 'late' };
        const source = { exists: true, kind: 'table' };
        const plan = { statements: [''], notes: [] };
        const results = await connection.apply([{ id: 'w', operation, plan, options: {}, source }]);
        expect(results).toMatchObject([{ ok: false, failure: { class: 'transient', scope: 'object', code: '1205' } }]);
      }
    } finally {
      await holder.end();
      await connection.close();
    }
  });
});

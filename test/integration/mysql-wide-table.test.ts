import type { Connection as Admin, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, PlannedWrite, WriteResult } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation, ObjectRef } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';

const COLUMNS = 500;
const STORED = ['s1', 's2', 's3'];

let server: MariadbServer;
let admin: Admin;
let connection: Connection;

beforeAll(async () => {
  server = await startTestMariadb('--general-log=1', '--log-output=TABLE');
  admin = await adminOf(server);
  await admin.query('CREATE DATABASE app');
  const plain = Array.from({ length: COLUMNS }, (_, i) => `c${i} int NOT NULL DEFAULT 7`);
  const stored = STORED.map((name) => `${name} int GENERATED ALWAYS AS (c0 + 1) STORED`);
  await admin.query(`CREATE TABLE app.wide (${[...plain, ...stored].join(', ')})`);
  for (let i = 0; i < 30; i += 1) await admin.query(`CREATE TABLE app.t${i} (id int)`);
  const { host, port, user: username, password } = server;
  const config = mysqlConnector.spec.config.parse({ username, password, hostPort: `${host}:${port}` });
  connection = await mysqlConnector.open(config, { lane: 'wide', epoch: 1 });
});

afterAll(async () => {
  await connection.close();
  await admin.end();
  await server.stop();
});

async function planned(objects: readonly ObjectRef[], text: (name: string) => string): Promise<PlannedWrite[]> {
  const sources = await connection.read(objects);
  return objects.map((object, index) => {
    const name = object.column?.[0] ?? object.table ?? '';
    const operation: DescriptionOperation = { aspect: 'description', object, text: text(name) };
    const source = sources[index];
    const plan = mysqlConnector.plan(operation, source, {});
    if (source === undefined || !plan.ok) throw new Error(`${name} cannot be planned`);
    return { id: name, operation, plan: plan.value, options: {}, source };
  });
}

/** The results by id, and the statements of this kind that it took. */
async function apply(writes: readonly PlannedWrite[], kind: string) {
  await admin.query('TRUNCATE TABLE mysql.general_log');
  const results = new Map<string, WriteResult>((await connection.apply(writes)).map((one) => [one.id, one]));
  const [rows] = await admin.query<RowDataPacket[]>(
    `SELECT argument FROM mysql.general_log WHERE command_type = 'Query' AND argument LIKE '${kind}%'`,
  );
  return { results, statements: rows.map(({ argument }) => String(argument)) };
}

describe('a table of 500 columns', () => {
  const columns = Array.from({ length: COLUMNS }, (_, i) => ref('column', 'app', 'wide', `c${i}`));

  it('is written by one ALTER, of which each result shows its own share', async () => {
    const { results, statements } = await apply(await planned(columns, (name) => `of ${name}`), 'ALTER');
    expect(statements.length).toBe(1);
    for (const { column = [] } of columns) {
      const [name = ''] = column;
      expect(results.get(name)).toEqual({
        id: name,
        ok: true,
        verified: 'read',
        value: `of ${name}`,
        statements: [
          `ALTER TABLE \`app\`.\`wide\` MODIFY COLUMN \`${name}\` int(11) NOT NULL DEFAULT 7 COMMENT 'of ${name}' /* and 499 more in one statement */, ALGORITHM=INSTANT`,
        ],
      });
    }
    const [rows] = await admin.query<RowDataPacket[]>(
      "SELECT count(*) AS n FROM information_schema.columns WHERE table_name = 'wide' AND column_comment = CONCAT('of ', column_name)",
    );
    expect(rows[0]?.n).toBe(COLUMNS);
  });

  it('is written by one ALTER also when some of its columns would take the server to copy it', async () => {
    const all = [
      ...columns.slice(0, 250),
      ...STORED.map((name) => ref('column', 'app', 'wide', name)),
      ...columns.slice(250),
    ];
    const { results, statements } = await apply(await planned(all, (name) => `again, ${name}`), 'ALTER');
    const failed = [...results.values()].flatMap((result) => (result.ok ? [] : [result.id, result.failure.class]));
    expect(failed).toEqual(STORED.flatMap((name) => [name, 'unsupported']));
    expect(results.size).toBe(COLUMNS + STORED.length);
    // Beside it the attempts at the three: together, then in halves, each by both algorithms.
    expect(statements.filter((statement) => statement.includes('MODIFY COLUMN `c0`')).length).toBe(1);
    expect(statements.length).toBeLessThanOrEqual(11);
  });

  it('is read by two questions, however many of its columns are asked for', async () => {
    await admin.query('TRUNCATE TABLE mysql.general_log');
    const sources = await connection.read(columns);
    expect(sources.every(({ description }) => description?.startsWith('again, '))).toBe(true);
    const [rows] = await admin.query<RowDataPacket[]>(
      "SELECT argument FROM mysql.general_log WHERE command_type = 'Query' AND argument NOT LIKE 'TRUNCATE%' AND argument NOT LIKE 'SELECT argument%'",
    );
    expect(rows.length).toBe(2);
  });
});

describe('the comments of many tables', () => {
  it('are written by an ALTER each, and read back by one question', async () => {
    const tables = Array.from({ length: 30 }, (_, i) => ref('table', 'app', `t${i}`));
    const writes = await planned(tables, (name) => `of ${name}`);
    await admin.query('DROP TABLE app.t7');
    const { results, statements } = await apply(writes, 'SELECT ');
    expect(results.get('t7')).toMatchObject({ ok: false, failure: { class: 'not_found' } });
    expect([...results.values()].filter(({ ok }) => ok).length).toBe(29);
    expect(results.get('t8')).toEqual({ id: 't8', ok: true, verified: 'read', value: 'of t8' });
    expect(statements.filter((statement) => statement.includes('information_schema')).length).toBe(1);
  });
});

import type { Connection as Admin, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WriteResult } from '../../connectors/contract.ts';
import { openMysql } from '../../connectors/mysql/connection.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';
import { until } from '../support/until.ts';

let server: MariadbServer;
let admin: Admin;
let rival: Admin;

beforeAll(async () => {
  server = await startTestMariadb();
  admin = await adminOf(server);
  rival = await adminOf(server);
  await admin.query('CREATE DATABASE app');
});

afterAll(async () => {
  await Promise.all([admin.end(), rival.end()]);
  await server.stop();
});

interface Race {
  readonly result: WriteResult | undefined;
  /** What the process list said of the rival while our write stood between its reading and its ALTER. */
  readonly rivalState: string;
  readonly columnDefault: string;
  readonly comment: string;
}

/** A rival changes the column's default after our write has read the definition and before it restates it. */
async function race(lock: boolean): Promise<Race> {
  await admin.query("CREATE OR REPLACE TABLE app.orders (note varchar(20) NOT NULL DEFAULT 'first')");
  const config = mysqlConnector.spec.config.parse({
    username: server.user,
    password: server.password,
    hostPort: `${server.host}:${server.port}`,
  });
  let rivalState = '';
  let rivalWrite: Promise<unknown> = Promise.resolve();
  const beforeAlter = async (): Promise<void> => {
    let over = false;
    rivalWrite = rival.query("ALTER TABLE app.orders ALTER COLUMN note SET DEFAULT 'by the rival'").then(() => {
      over = true;
    });
    const id = rival.threadId;
    await until(async () => {
      const [rows] = await admin.query<RowDataPacket[]>(
        `SELECT state FROM information_schema.processlist WHERE id = ${id}`,
      );
      rivalState = over ? 'done' : String(rows[0]?.state);
      return over || rivalState.includes('metadata lock');
    });
  };
  const connection = await openMysql(config, { lane: 'race', epoch: 1 }, { lock, beforeAlter });
  try {
    const operation: DescriptionOperation = {
      aspect: 'description',
      object: ref('column', 'app', 'orders', 'note'),
      text: 'ours',
    };
    const [source] = await connection.read([operation.object]);
    const plan = mysqlConnector.plan(operation, source, {});
    if (source === undefined || !plan.ok) throw new Error('the write cannot be planned');
    const [result] = await connection.apply([{ id: 'w', operation, plan: plan.value, options: {}, source }]);
    await rivalWrite;
    const [[column]] = await admin.query<RowDataPacket[]>(
      "SELECT column_default AS d, column_comment AS c FROM information_schema.columns WHERE table_schema = 'app'",
    );
    return { result, rivalState, columnDefault: String(column?.d), comment: String(column?.c) };
  } finally {
    await connection.close();
  }
}

describe('a rival ALTER between our reading and our writing', () => {
  it('waits for the lock, and what it sets survives beside our comment', async () => {
    const { result, rivalState, columnDefault, comment } = await race(true);
    expect(result?.ok).toBe(true);
    expect(rivalState).toBe('Waiting for table metadata lock');
    expect({ columnDefault, comment }).toEqual({ columnDefault: "'by the rival'", comment: 'ours' });
  });

  it('would be undone without the lock, and no comparison afterwards could see it', async () => {
    const { result, rivalState, columnDefault } = await race(false);
    expect(rivalState).toBe('done');
    expect(columnDefault).toBe("'first'");
    expect(result?.ok).toBe(true);
  });
});

describe('a definition that changed after it was read', () => {
  it('is planned again under the lock, and the result shows what really ran', async () => {
    await admin.query("CREATE OR REPLACE TABLE app.orders (note varchar(20) NOT NULL DEFAULT 'first')");
    const config = mysqlConnector.spec.config.parse({
      username: server.user,
      password: server.password,
      hostPort: `${server.host}:${server.port}`,
    });
    const connection = await mysqlConnector.open(config, { lane: 'replan', epoch: 1 });
    try {
      const object = ref('column', 'app', 'orders', 'note');
      const operation: DescriptionOperation = { aspect: 'description', object, text: 'ours' };
      const [source] = await connection.read([object]);
      const plan = mysqlConnector.plan(operation, source, {});
      if (source === undefined || !plan.ok) throw new Error('the write cannot be planned');
      await admin.query('ALTER TABLE app.orders MODIFY note varchar(40) NOT NULL');
      const [result] = await connection.apply([{ id: 'w', operation, plan: plan.value, options: {}, source }]);
      expect(plan.value.statements).toEqual([
        "ALTER TABLE `app`.`orders` MODIFY COLUMN `note` varchar(20) NOT NULL DEFAULT 'first' COMMENT 'ours', ALGORITHM=INSTANT",
      ]);
      expect(result).toMatchObject({
        ok: true,
        verified: 'read',
        value: 'ours',
        statements: [
          "ALTER TABLE `app`.`orders` MODIFY COLUMN `note` varchar(40) NOT NULL COMMENT 'ours', ALGORITHM=INSTANT",
        ],
      });
    } finally {
      await connection.close();
    }
  });
});

import { chown, cp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection as Admin, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, PlannedWrite } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation } from '../../src/domain/operation.ts';
import { enoughOf } from '../support/class-coverage.ts';
import { hostileText } from '../support/hostile-text.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';

let server: MariadbServer;
let admin: Admin;
let connection: Connection;

beforeAll(async () => {
  server = await startTestMariadb();
  admin = await adminOf(server);
  const config = mysqlConnector.spec.config.parse({
    username: server.user,
    password: server.password,
    hostPort: `${server.host}:${server.port}`,
  });
  connection = await mysqlConnector.open(config, { lane: 'schemas', epoch: 1 });
});

afterAll(async () => {
  await connection.close();
  await admin.end();
  await server.stop();
});

async function planned(schema: string, text: string | undefined): Promise<PlannedWrite> {
  const operation: DescriptionOperation = { aspect: 'description', object: ref('schema', schema), text };
  const [source] = await connection.read([operation.object]);
  const plan = mysqlConnector.plan(operation, source, {});
  if (source === undefined || !plan.ok) throw new Error(`refused: ${JSON.stringify(plan)}`);
  return { id: schema, operation, plan: plan.value, options: {}, source };
}

interface Shown {
  readonly comment: string;
  readonly charset: string;
}

async function shown(): Promise<ReadonlyMap<string, Shown>> {
  const [rows] = await admin.query<RowDataPacket[]>(
    'SELECT schema_name AS name, schema_comment AS comment, default_character_set_name AS charset FROM information_schema.schemata',
  );
  return new Map(
    rows.map(({ name, comment, charset }) => [String(name), { comment: String(comment), charset: String(charset) }]),
  );
}

/** Copies the folders of databases inside the server's data folder: the server reads the options of the copies from their files. */
async function copyAsRead(names: readonly string[]): Promise<void> {
  const [[row]] = await admin.query<RowDataPacket[]>('SELECT @@datadir AS folder');
  const folder = String(row?.folder);
  for (const name of names) {
    const copy = join(folder, `${name}_copy`);
    await cp(join(folder, name), copy, { recursive: true });
    const { uid, gid } = await stat(join(folder, name));
    for (const path of [copy, ...(await readdir(copy)).map((file) => join(copy, file))]) await chown(path, uid, gid);
  }
}

/** What MariaDB 10.11 would lose or misread in the options file, beside the random texts. */
const TRAPS = [
  'line\nbreak',
  'a\r\ndefault-character-set=latin1',
  'x\ndefault-collation=latin1_german1_ci\n',
  'blank at the end ',
  'tab\t',
  'déjà',
  '†',
  'no-break\u00a0',
  'вся',
  'Í',
  'Á\u001a \u007f',
  ...Array.from({ length: 0x17f - 0x80 }, (_, index) => `ends with ${String.fromCodePoint(0x80 + index)}`),
  'é'.repeat(1024),
  'à'.repeat(512),
  '😀'.repeat(400),
  '=',
  '#',
  'comment=x',
];

describe('comments of schemas on MariaDB', () => {
  it('stand as planned, in memory and in the file that the server reads at its next start', async () => {
    const texts = [...TRAPS, ...enoughOf(hostileText(), { count: 120, perClass: 40, seed: 20_261_130 })];
    const names = texts.map((_, index) => `s${index}`);
    for (const name of names) await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    const writes: PlannedWrite[] = [];
    for (const [index, text] of texts.entries()) writes.push(await planned(`s${index}`, text));
    const results = await connection.apply(writes);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    for (const { plan } of writes) expect(Buffer.byteLength(plan.value ?? '')).toBeLessThanOrEqual(1024);

    await copyAsRead(names);
    const stands = await shown();
    for (const [index, { plan }] of writes.entries()) {
      const wanted = { comment: plan.value ?? '', charset: 'utf8mb4' };
      expect(stands.get(`s${index}`), JSON.stringify(texts[index])).toEqual(wanted);
      expect(stands.get(`s${index}_copy`), JSON.stringify(texts[index])).toEqual(wanted);
    }
    // The server is still there, and what could be kept as it was has no note.
    expect(
      writes.find(({ operation }) => operation.aspect === 'description' && operation.text === '=')?.plan.notes,
    ).toEqual([]);
  });

  it('are refused in a template where the server would read them as options', async () => {
    const object = ref('schema', 's0');
    const operation: DescriptionOperation = { aspect: 'description', object, text: 'x' };
    const code = (statement: string): string => {
      const plan = mysqlConnector.plan(operation, undefined, { template: [statement] });
      return plan.ok ? 'planned' : plan.error.failure.code;
    };
    expect(code("ALTER DATABASE s0 COMMENT 'a\nb'")).toBe('schema-comment-line-break');
    expect(code("/* x */ alter schema s0 comment = 'a\\nb'")).toBe('schema-comment-line-break');
    expect(code(`ALTER DATABASE s0 COMMENT '${'é'.repeat(600)}'`)).toBe('schema-comment-too-long');
    expect(code("ALTER DATABASE s0 COMMENT 'a\\\\nb'")).toBe('planned');
    expect(code("ALTER TABLE s0.t COMMENT 'a\nb'")).toBe('planned');
  });
});

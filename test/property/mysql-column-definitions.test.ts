import type { Connection as Admin, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, WriteResult } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';
import { COLUMN_KINDS, quoteName, type RandomColumn, RandomColumns } from '../support/random-columns.ts';
import { seededRandom } from '../support/seeded-random.ts';

const SEED = 20_261_130;
const TABLES = 160;
const COLUMNS = 28;
/** Every eighth table has columns that MariaDB would copy the table for. */
const STORED_EVERY = 8;

let server: MariadbServer;
let admin: Admin;
let connection: Connection;

beforeAll(async () => {
  // Modes that every definition of the test would break in.
  server = await startTestMariadb(
    '--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES,NO_ZERO_DATE',
    '--default-time-zone=+05:30',
  );
  admin = await adminOf(server);
  await admin.query("SET SESSION time_zone = '+00:00'");
  await admin.query('CREATE DATABASE zoo');
  const config = mysqlConnector.spec.config.parse({
    username: server.user,
    password: server.password,
    hostPort: `${server.host}:${server.port}`,
  });
  connection = await mysqlConnector.open(config, { lane: 'property', epoch: 1 });
});

afterAll(async () => {
  await connection.close();
  await admin.end();
  await server.stop();
});

/** Creates a table of these columns; what the server does not take is left out. */
async function create(table: string, columns: readonly RandomColumn[]): Promise<readonly RandomColumn[]> {
  const sql = (list: readonly RandomColumn[]): string => {
    const clauses = [...list.map((column) => column.sql), ...list.flatMap(({ tableClause }) => tableClause ?? [])];
    return `CREATE TABLE zoo.${table} (last int COMMENT 'stays', ${clauses.join(', ')}) COMMENT 'of ${table}'`;
  };
  try {
    await admin.query(sql(columns));
    return columns;
  } catch {
    const accepted: RandomColumn[] = [];
    for (const column of columns) {
      try {
        await admin.query(sql([column]));
        await admin.query(`DROP TABLE zoo.${table}`);
        accepted.push(column);
      } catch {
        // Not a definition of this server.
      }
    }
    await admin.query(sql(accepted));
    return accepted;
  }
}

interface Picture {
  readonly create: string;
  /** information_schema.columns without the comments. */
  readonly columns: string;
  readonly comments: ReadonlyMap<string, string>;
}

async function picture(table: string): Promise<Picture> {
  const [[shown]] = await admin.query<RowDataPacket[]>(`SHOW CREATE TABLE zoo.${table}`);
  const [rows] = await admin.query<RowDataPacket[]>(
    `SELECT * FROM information_schema.columns WHERE table_schema = 'zoo' AND table_name = '${table}' ORDER BY ordinal_position`,
  );
  const comments = new Map<string, string>();
  const rest = rows.map(({ COLUMN_COMMENT, ...row }) => {
    comments.set(String(row.COLUMN_NAME), String(COLUMN_COMMENT));
    return row;
  });
  return { create: String(shown?.['Create Table']), columns: JSON.stringify(rest), comments };
}

/** Gives all columns these comments by the way that a lane takes: read, plan, apply. Results by column. */
async function describeColumns(
  table: string,
  texts: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, WriteResult | string>> {
  const operations = [...texts].map(([column, text]): DescriptionOperation => {
    return { aspect: 'description', object: ref('column', 'zoo', table, column), text };
  });
  const sources = await connection.read(operations.map(({ object }) => object));
  const outcomes = new Map<string, WriteResult | string>();
  const writes = operations.flatMap((operation, index) => {
    const source = sources[index];
    const column = operation.object.column?.[0] ?? '';
    if (source === undefined) throw new Error('a read without an answer');
    const plan = mysqlConnector.plan(operation, source, { overlong: 'refuse' });
    if (plan.ok) return [{ id: column, operation, plan: plan.value, options: {}, source }];
    outcomes.set(column, plan.error.failure.code);
    return [];
  });
  for (const result of await connection.apply(writes)) outcomes.set(result.id, result);
  return outcomes;
}

describe('P6: comments of columns on MariaDB', () => {
  it('change nothing else of at least 4,000 random definitions, and come back byte by byte', async () => {
    const columns = new RandomColumns(seededRandom(SEED));
    const written = new Map<string, number>();
    const refused = new Map<string, number>();
    let offered = 0;
    let accepted = 0;
    let rebuilds = 0;
    const count = (map: Map<string, number>, key: string): void => {
      map.set(key, (map.get(key) ?? 0) + 1);
    };

    for (let number = 0; number < TABLES; number += 1) {
      const table = `t${number}`;
      const wanted: RandomColumn[] = [];
      while (wanted.length < COLUMNS) {
        const column = columns.next(number % STORED_EVERY === 0 && wanted.length < 20 ? ['stored'] : COLUMN_KINDS);
        if (column.single !== true || !wanted.some(({ single }) => single)) wanted.push(column);
      }
      offered += wanted.length;
      const made = await create(table, wanted);
      accepted += made.length;
      const before = await picture(table);

      const texts = new Map(made.map(({ name }) => [name, columns.text()]));
      const set = await describeColumns(table, texts);
      const between = await picture(table);
      expect(between.columns).toBe(before.columns);
      for (const { name, kind } of made) {
        const outcome = set.get(name);
        const failed = typeof outcome === 'object' && !outcome.ok;
        if (typeof outcome === 'object' && outcome.ok) {
          expect(between.comments.get(name), `${table}.${name} (${kind})`).toBe(texts.get(name));
          count(written, kind);
          continue;
        }
        const code = failed ? outcome.failure.code : String(outcome);
        expect(code, `${kind}: ${JSON.stringify(outcome)}`).toMatch(/^184[56]$/);
        expect(failed && outcome.failure.message).toContain('needs rebuild');
        expect(between.comments.get(name)).toBe(before.comments.get(name));
        rebuilds += 1;
        count(refused, kind);
      }
      expect(between.comments.get('last')).toBe('stays');

      const back = await describeColumns(
        table,
        new Map(made.map(({ name }) => [name, before.comments.get(name) ?? ''])),
      );
      for (const { name } of made) expect(typeof back.get(name)).toBe(typeof set.get(name));
      const after = await picture(table);
      expect(after.create).toBe(before.create);
      expect(after.columns).toBe(before.columns);
      expect(after.comments).toEqual(before.comments);
    }

    const lines = [...new Set([...COLUMN_KINDS, 'stored'])].map(
      (kind) =>
        `${kind.padEnd(20)} ${String(written.get(kind) ?? 0).padStart(5)} ${String(refused.get(kind) ?? 0).padStart(5)}`,
    );
    console.log(
      [`seed ${SEED}: ${offered} definitions offered, ${accepted} accepted by the server, ${rebuilds} need a rebuild`]
        .concat('kind of column       written  refused (1845, 1846)', lines)
        .join('\n'),
    );
    expect(accepted).toBeGreaterThanOrEqual(4000);
    expect(rebuilds / accepted).toBeLessThanOrEqual(0.2);
    for (const kind of COLUMN_KINDS) expect(written.get(kind) ?? 0, kind).toBeGreaterThanOrEqual(40);
    expect(refused.get('stored') ?? 0).toBeGreaterThan(50);
  }, 120_000);

  it('change nothing else of tables with keys, partitions, triggers and odd options', async () => {
    const tables = {
      parent: "id int PRIMARY KEY, `check` int, UNIQUE KEY (`check`) COMMENT 'of the key'",
      child:
        "id int, `comment` varchar(9) COMMENT 'old', p int, body text, FULLTEXT KEY (body), CONSTRAINT `COMMENT 'x'` FOREIGN KEY (p) REFERENCES zoo.parent (id) ON DELETE CASCADE, CONSTRAINT odd CHECK (`comment` <> ' COMMENT ''y''')",
    };
    const options = {
      listed:
        "(id int, at date) COMMENT ') ENGINE=x COMMENT=''y''' PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10) COMMENT 'of p0', PARTITION p1 VALUES LESS THAN MAXVALUE)",
      aria: "(id int, at date COMMENT 'x') ENGINE=Aria TRANSACTIONAL=1 CHARSET=latin1",
      counted: '(id int NOT NULL AUTO_INCREMENT, at date, PRIMARY KEY (id)) AUTO_INCREMENT=77 ROW_FORMAT=DYNAMIC',
    };
    for (const [name, body] of Object.entries(tables)) await admin.query(`CREATE TABLE zoo.${name} (${body})`);
    for (const [name, rest] of Object.entries(options)) await admin.query(`CREATE TABLE zoo.${name} ${rest}`);
    await admin.query('CREATE TRIGGER zoo.watch BEFORE INSERT ON zoo.child FOR EACH ROW SET NEW.id = 1');
    for (const table of [...Object.keys(tables), ...Object.keys(options)]) {
      const before = await picture(table);
      const set = await describeColumns(table, new Map([...before.comments.keys()].map((name) => [name, `'${name}'`])));
      const between = await picture(table);
      expect(between.columns).toBe(before.columns);
      expect([...between.comments]).toEqual([...before.comments.keys()].map((name) => [name, `'${name}'`]));
      expect([...set.values()].every((one) => typeof one === 'object' && one.ok)).toBe(true);
      await describeColumns(table, before.comments);
      expect(await picture(table)).toEqual(before);
    }
  });

  it('are refused where SHOW CREATE TABLE cannot show the definition, and leave it as it was', async () => {
    await admin.query(
      `CREATE TABLE zoo.unshown (emoji varchar(9) DEFAULT '😀', choice enum('😀', 'b') DEFAULT '😀',
        bytes binary(2) DEFAULT 0xFFFE, plain varchar(9) CHARACTER SET latin1 DEFAULT 'why?',
        shown varchar(9) DEFAULT (concat('😀', '?')), made varchar(9) AS (concat('😀?')) VIRTUAL, ${quoteName('ok')} int)`,
    );
    const before = await picture('unshown');
    const columns = ['emoji', 'choice', 'bytes', 'plain', 'shown', 'made', 'ok'];
    const outcomes = await describeColumns('unshown', new Map(columns.map((name) => [name, `new ${name}`])));
    const codes = columns.map((name) => {
      const outcome = outcomes.get(name);
      return typeof outcome === 'object' ? outcome.ok : outcome;
    });
    expect(codes).toEqual([...Array(3).fill('definition-not-faithful'), true, true, true, true]);
    const after = await picture('unshown');
    expect(after.columns).toBe(before.columns);
    await admin.query('INSERT INTO zoo.unshown (ok) VALUES (1)');
    const [rows] = await admin.query<RowDataPacket[]>(
      'SELECT emoji, choice, HEX(bytes) AS bytes, plain, shown, made FROM zoo.unshown',
    );
    expect(rows).toEqual([{ emoji: '😀', choice: '😀', bytes: 'FFFE', plain: 'why?', shown: '😀?', made: '😀?' }]);
  });
});

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import type { ConformanceHarness, Dump, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import type { Connector } from '../../connectors/contract.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import type { Aspect } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { NOT_A_WRITE, ref } from './redshift-harness.ts';
import { startRedshiftProxy } from './redshift-proxy.ts';

const { abilities, limits } = redshiftConnector.spec;

/** The connector without what would change the user's own database. */
export const withoutDatabases: Connector = {
  ...redshiftConnector,
  spec: {
    ...redshiftConnector.spec,
    abilities: abilities.filter(({ level }) => level !== 'database'),
    limits: limits.filter(({ level }) => level !== 'database'),
  },
};

const givenJson = z.looseObject({
  hostPort: z.string(),
  username: z.string(),
  password: z.string(),
  database: z.string(),
});
type Given = z.output<typeof givenJson>;

/** A URL (`postgres://user:password@host:port/database`), or OpenMetadata's connection JSON. */
function given(setting: string): Given {
  if (setting.trim().startsWith('{')) return givenJson.parse(JSON.parse(setting));
  const url = new URL(setting);
  return {
    hostPort: `${url.hostname}:${url.port === '' ? '5439' : url.port}`,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
  };
}

const WILD_NAMES = [
  'it\'s "quoted"',
  'back\\slash\\',
  'new\nline',
  'dots.and blanks ',
  '--comment /* open',
  '$$ $bf$',
  'MiXeD',
];

/** A superuser's Redshift: works in schemas and with users of its own, and removes them. */
export async function startOwnCluster(setting: string): Promise<RunningHarness> {
  const { hostPort, username, password, database } = given(setting);
  const [host = '', port = ''] = hostPort.split(/:(?=\d+$)/);
  const proxy = await startRedshiftProxy({ host, port: Number(port), tls: true });
  const connection = {
    type: 'Redshift',
    hostPort: `127.0.0.1:${proxy.port}`,
    username,
    password,
    database,
    sslMode: 'disable',
  };
  const admin = new pg.Client({ host: '127.0.0.1', port: proxy.port, user: username, password, database });
  admin.on('error', () => {});
  await admin.connect();
  const scratch = new Scratch(admin);
  try {
    await scratch.make();
  } catch (error) {
    await scratch.remove();
    throw error;
  }
  const at = (object: ObjectRef): ObjectRef => ({ ...object, database });
  const [main, annex] = scratch.schemas;
  const harness: ConformanceHarness = {
    connector: withoutDatabases,
    connection,
    wrongCredentials: { ...connection, password: 'Wrong-secret-1' },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [password, 'Wrong-secret-1'],
    objects: [
      { ref: at(ref('schema', annex)), kind: 'schema' },
      ...tablesOf(main).map((one) => ({ ...one, ref: at(one.ref) })),
    ],
    hostileObjects: scratch.wild.flatMap((name): WritableObject[] => [
      { ref: at(ref('table', annex, name)), kind: 'table' },
      { ref: at(ref('column', annex, name, name)), kind: 'table' },
    ]),
    missing: [
      { what: 'a schema', ref: at(ref('schema', `${main}_gone`)) },
      { what: 'a table', ref: at(ref('table', main, 'gone')) },
      { what: 'a column', ref: at(ref('column', main, 'orders', 'gone')) },
      { what: 'a table in other case', ref: at(ref('table', main, 'ORDERS')) },
    ],
    principals: { first: `${main}_a`, second: `${main}_b`, missing: `${main}_nobody` },
    dump: () => scratch.dump(),
    dumpKeys: (object, aspect) => [dumpKey(object, aspect)],
    executed: () =>
      Promise.resolve(
        proxy
          .statements()
          .filter((statement) => !NOT_A_WRITE.test(statement))
          .map((statement) => statement.replace(/ \/\*traceparent='[0-9a-f-]{55}'\*\/$/, '')),
      ),
    breakConnections: () => Promise.resolve(proxy.breakConnections('backflow')),
  };
  return {
    harness,
    async stop() {
      await scratch.remove();
      await admin.end();
      await proxy.stop();
    },
  };
}

function tablesOf(schema: string): readonly WritableObject[] {
  const withColumns = [
    ['orders', 'table'],
    ['customers', 'table'],
    ['order_view', 'view'],
    ['order_totals', 'materialized view'],
  ] as const;
  return [
    ...withColumns.flatMap(([table, kind]) => [
      { ref: ref('table', schema, table), kind },
      { ref: ref('column', schema, table, 'id'), kind },
      { ref: ref('column', schema, table, 'note'), kind },
    ]),
    { ref: ref('table', schema, 'order_late'), kind: 'late-binding view' },
  ];
}

function dumpKey({ schema = '', table, column = [] }: ObjectRef, aspect: Aspect): string {
  return JSON.stringify([aspect, schema, ...(table === undefined ? [] : [table]), ...column]);
}

/** What the suite makes on the cluster. */
class Scratch {
  readonly schemas: readonly [main: string, annex: string];
  wild: readonly string[] = [];
  readonly #admin: pg.Client;

  constructor(admin: pg.Client) {
    const prefix = `backflow_test_${randomBytes(4).toString('hex')}`;
    this.schemas = [prefix, `${prefix}_annex`];
    this.#admin = admin;
  }

  async make(): Promise<void> {
    const [main, annex] = this.schemas;
    await this.#run([
      'SET enable_case_sensitive_identifier TO true',
      `CREATE USER ${main}_a PASSWORD DISABLE`,
      `CREATE USER ${main}_b PASSWORD DISABLE`,
      `CREATE SCHEMA ${main}`,
      `CREATE SCHEMA ${annex}`,
      `GRANT ALL ON SCHEMA ${main} TO ${main}_a`,
      `GRANT ALL ON SCHEMA ${main} TO ${main}_b`,
      `CREATE TABLE ${main}.orders (id int, note varchar(20))`,
      `CREATE TABLE ${main}.customers (id int, note varchar(20))`,
      `CREATE TABLE ${main}.canary (id int)`,
      `COMMENT ON TABLE ${main}.canary IS 'sings'`,
      `CREATE VIEW ${main}.order_view AS SELECT id, note FROM ${main}.orders`,
      `CREATE MATERIALIZED VIEW ${main}.order_totals AS SELECT id, note FROM ${main}.orders`,
      `CREATE VIEW ${main}.order_late AS SELECT id, note FROM ${main}.orders WITH NO SCHEMA BINDING`,
    ]);
    for (const name of WILD_NAMES) {
      const quoted = this.#admin.escapeIdentifier(name);
      await this.#run([`CREATE TABLE ${annex}.${quoted} (${quoted} int, other int)`]);
      this.wild = [...this.wild, name];
    }
  }

  /** Also after a part of it could not be made. */
  async remove(): Promise<void> {
    const [main, annex] = this.schemas;
    for (const statement of [
      `DROP SCHEMA ${annex} CASCADE`,
      `DROP SCHEMA ${main} CASCADE`,
      `DROP USER ${main}_a`,
      `DROP USER ${main}_b`,
    ]) {
      await this.#admin.query(statement).catch((error: unknown) => console.error(`${statement}: ${String(error)}`));
    }
  }

  async dump(): Promise<Dump> {
    const schemas = `n.nspname IN (${this.schemas.map((name) => `'${name}'`).join(', ')})`;
    const { rows } = await this.#admin.query<{
      schema: string;
      table: string | null;
      column: string | null;
      description: string | null;
      owner: string | null;
    }>(`
      SELECT n.nspname AS "schema", NULL AS "table", NULL AS "column", d.description, pg_get_userbyid(n.nspowner) AS owner
      FROM pg_namespace n LEFT JOIN pg_description d ON d.objoid = n.oid AND d.classoid = 'pg_namespace'::regclass
      WHERE ${schemas}
      UNION ALL SELECT n.nspname, c.relname, NULL, d.description, pg_get_userbyid(c.relowner)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
      WHERE ${schemas}
      UNION ALL SELECT n.nspname, c.relname, a.attname, d.description, NULL
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = a.attnum AND d.classoid = 'pg_class'::regclass
      WHERE ${schemas} AND a.attnum > 0 AND NOT a.attisdropped`);
    const dump = new Map<string, string>();
    for (const row of rows) {
      const names = [row.schema, row.table, row.column].filter((name) => name !== null);
      if (row.description !== null) dump.set(JSON.stringify(['description', ...names]), row.description);
      if (row.owner !== null) dump.set(JSON.stringify(['owners', ...names]), row.owner);
    }
    return dump;
  }

  async #run(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.#admin.query(statement);
  }
}

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Dump, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { type Charset, charsetNamed, representable } from '../../connectors/oracle/charset.ts';
import type { OracleConfig } from '../../connectors/oracle/config.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import type { OracleDriver, OracleLink } from '../../connectors/oracle/port.ts';
import { thinDriver } from '../../connectors/oracle/thin-driver.ts';
import {
  dictionaryName,
  ORACLE_HOSTILE_NAMES,
  oracleDumpKey,
  oracleObjects,
  oracleOver,
  ref,
} from './oracle-harness.ts';

/** What of the sample is made by its owner, after the two users. */
const OBJECTS: readonly string[] = [
  'CREATE TABLE orders (id NUMBER PRIMARY KEY, note VARCHAR2(20), amount NUMBER)',
  'CREATE TABLE customers (id NUMBER, name VARCHAR2(20), at DATE)',
  'CREATE VIEW order_view AS SELECT id, note FROM orders',
  'CREATE MATERIALIZED VIEW order_totals AS SELECT id, amount FROM orders',
  `CREATE TABLE remote (id NUMBER, x VARCHAR2(20)) ORGANIZATION EXTERNAL
     (TYPE ORACLE_LOADER DEFAULT DIRECTORY data_pump_dir LOCATION ('nothing.csv'))`,
  'CREATE TABLE canary (id NUMBER)',
  "COMMENT ON TABLE canary IS 'sings'",
];

const OWNER_RIGHTS = 'CREATE SESSION, CREATE TABLE, CREATE VIEW, CREATE MATERIALIZED VIEW, UNLIMITED TABLESPACE';
const WRITER_RIGHTS =
  'CREATE SESSION, COMMENT ANY TABLE, SELECT_CATALOG_ROLE, ALTER ANY TABLE, ALTER ANY MATERIALIZED VIEW, ALTER SYSTEM';

/**
 * `BACKFLOW_TEST_ORACLE_URL`: OpenMetadata's connection JSON, or `oracle://user:password@host:port/service`. The user has to be able to
 * create and drop users and to grant (SYSTEM is).
 */
export function ownConnection(setting: string): Readonly<Record<string, unknown>> {
  if (setting.trim().startsWith('{')) return z.record(z.string(), z.unknown()).parse(JSON.parse(setting));
  const url = new URL(setting);
  return {
    type: 'Oracle',
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    hostPort: `${url.protocol === 'tcps:' ? 'tcps://' : ''}${url.host}`,
    oracleConnectionType: { oracleServiceName: decodeURIComponent(url.pathname.slice(1)) },
  };
}

/**
 * The kit's sample in two scratch users of a real server: one that owns the objects, one that writes with the documented privileges.
 * Both are dropped with all that is theirs when it stops, and when it does not get to its end.
 */
export async function startOwnOracle(setting: string, driver: OracleDriver = thinDriver): Promise<RunningHarness> {
  const connection = ownConnection(setting);
  const admin = await login(oracleConnector.spec.config.parse(connection), driver);
  const mark = randomBytes(4).toString('hex').toUpperCase();
  const owner = { name: `BACKFLOW_T${mark}_A`, password: `Pw_${randomBytes(9).toString('hex')}` };
  const writer = { name: `BACKFLOW_T${mark}_W`, password: `Pw_${randomBytes(9).toString('hex')}` };
  const links: OracleLink[] = [];

  async function cleanUp(): Promise<void> {
    for (const link of links) await link.close();
    await tolerant(() => kill(admin, writer.name));
    for (const { name } of [writer, owner]) await tolerant(() => admin.execute(`DROP USER ${name} CASCADE`));
    await admin.close();
  }

  try {
    for (const [{ name, password }, rights] of [
      [owner, OWNER_RIGHTS],
      [writer, WRITER_RIGHTS],
    ] as const) {
      await admin.execute(`CREATE USER ${name} IDENTIFIED BY "${password}"`);
      await admin.execute(`GRANT ${rights} TO ${name}`);
    }
    await admin.execute(`GRANT READ, WRITE ON DIRECTORY data_pump_dir TO ${owner.name}`);
    const asOwner = await login(
      oracleConnector.spec.config.parse({ ...connection, username: owner.name, ...passwordOf(owner.password) }),
      driver,
    );
    links.push(asOwner);
    for (const statement of OBJECTS) await asOwner.execute(statement);
    const charset = await charsetOf(admin);
    const names = ORACLE_HOSTILE_NAMES.filter((name) => representable(name, charset).lost === 0);
    for (const name of names) await asOwner.execute(`CREATE TABLE "${name}" ("${name}" NUMBER, other NUMBER)`);
    const users = { owner: owner.name, writer };
    return await harnessOf({ connection, driver, admin, asOwner, ...users, charset, names, stop: cleanUp });
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

interface Parts {
  readonly connection: Readonly<Record<string, unknown>>;
  readonly driver: OracleDriver;
  readonly admin: OracleLink;
  readonly asOwner: OracleLink;
  readonly owner: string;
  readonly writer: { readonly name: string; readonly password: string };
  readonly charset: Charset;
  readonly names: readonly string[];
  stop(): Promise<void>;
}

async function harnessOf(parts: Parts): Promise<RunningHarness> {
  const { connection, admin, asOwner, owner, writer, charset, names } = parts;
  const journal = journaling(parts.driver);
  const hasAnnotations =
    (await texts(admin, "SELECT view_name AS A FROM all_views WHERE view_name = 'USER_ANNOTATIONS_USAGE'")).length > 0;
  const connector = oracleOver(journal.driver);
  const abilities = connector.spec.abilities.filter(({ aspect }) => aspect !== 'tags' || hasAnnotations);
  const writing = { ...connection, username: writer.name, ...passwordOf(writer.password) };
  const wrong = `Wrong_${randomBytes(9).toString('hex')}`;
  const objects: readonly WritableObject[] = oracleObjects(owner);
  return {
    harness: {
      connector: { ...connector, spec: { ...connector.spec, abilities } },
      connection: writing,
      wrongCredentials: { ...connection, username: writer.name, ...passwordOf(wrong) },
      unreachable: {
        ...writing,
        hostPort: '127.0.0.1:1',
        oracleConnectionType: { oracleServiceName: 'nothing' },
      },
      secrets: [writer.password, wrong],
      objects,
      hostileObjects: names.flatMap((name) => [
        { ref: ref('table', owner, name), kind: 'table' },
        { ref: ref('column', owner, name, name), kind: 'table' },
      ]),
      missing: [
        { what: 'a table', ref: ref('table', owner, 'gone') },
        { what: 'a table of a missing schema', ref: ref('table', `${owner}_GONE`, 'ORDERS') },
        { what: 'a column', ref: ref('column', owner, 'ORDERS', 'gone') },
      ],
      stored: (text) => representable(text, charset).text,
      dump: () => dumpOwn(asOwner, owner, hasAnnotations),
      dumpKeys: (object, aspect) => [oracleDumpKey(object, aspect)],
      executed: async () => journal.executed(),
      breakConnections: () => kill(admin, writer.name),
      templateFor(object, text) {
        const address = [object.schema, object.table, ...(object.column ?? [])].map(
          (name) => `"${dictionaryName(name ?? '')}"`,
        );
        const place = `${object.level === 'column' ? 'column' : 'table'} ${address.join('.')}`;
        return [
          `comment on ${place} is 'interim'`,
          `comment on ${place} is '${text.replaceAll("'", "''")}' -- of a template`,
        ];
      },
    },
    stop: () => parts.stop(),
  };
}

function passwordOf(password: string): Readonly<Record<string, unknown>> {
  return { password, authType: undefined };
}

/** A driver that notes the writing statements, without the trace comment. */
function journaling(driver: OracleDriver): { readonly driver: OracleDriver; executed(): readonly string[] } {
  let journal: string[] = [];
  return {
    executed() {
      const statements = journal;
      journal = [];
      return statements;
    },
    driver: {
      async connect(options) {
        const link = await driver.connect(options);
        return {
          version: link.version,
          get usable() {
            return link.usable;
          },
          execute(sql, binds) {
            if (!/^\s*(?:SELECT|COMMIT|ROLLBACK|ALTER\s+(?:SESSION|SYSTEM))\b/i.test(sql)) {
              journal.push(sql.replace(/\s\/\*traceparent='[0-9a-f-]+'\*\/$/, ''));
            }
            return link.execute(sql, binds);
          },
          close: () => link.close(),
        };
      },
    },
  };
}

function login(config: OracleConfig, driver: OracleDriver): Promise<OracleLink> {
  return driver.connect({ ...config, program: 'backflow-test', callTimeoutMs: 60_000 });
}

const sessionRow = z.object({ SID: z.number(), SERIAL: z.number(), INST: z.number() });

async function kill(admin: OracleLink, user: string): Promise<void> {
  const sql = 'SELECT sid AS SID, serial# AS SERIAL, inst_id AS INST FROM gv$session WHERE username = :own';
  const { rows } = await admin.execute(sql, { own: user });
  for (const { SID, SERIAL, INST } of z.array(sessionRow).parse(rows)) {
    await tolerant(() => admin.execute(`ALTER SYSTEM KILL SESSION '${SID},${SERIAL},@${INST}' IMMEDIATE`));
  }
}

async function charsetOf(link: OracleLink): Promise<Charset> {
  const sql = "SELECT value AS A FROM nls_database_parameters WHERE parameter = 'NLS_CHARACTERSET'";
  return charsetNamed((await texts(link, sql))[0]?.[0] ?? '');
}

/** For what may be gone already. */
async function tolerant(work: () => Promise<unknown>): Promise<void> {
  await work().catch(() => undefined);
}

const textRow = z.object({ A: z.string(), B: z.string().nullish(), C: z.string().nullish(), D: z.string().nullish() });

async function texts(
  link: OracleLink,
  sql: string,
): Promise<readonly (readonly [string, ...(string | undefined)[]])[]> {
  const { rows } = await link.execute(sql);
  return z
    .array(textRow)
    .parse(rows)
    .map(({ A, B, C, D }) => [A, B ?? undefined, C ?? undefined, D ?? undefined]);
}

/** Comments, annotations and definitions of the scratch schema, as its owner sees them. */
async function dumpOwn(asOwner: OracleLink, owner: string, hasAnnotations: boolean): Promise<Dump> {
  const dump = new Map<string, string>();
  const mviews = await texts(asOwner, 'SELECT mview_name AS A, comments AS B FROM user_mview_comments');
  const isMview = new Set(mviews.map(([name]) => name));
  const tables = await texts(asOwner, 'SELECT table_name AS A, comments AS B FROM user_tab_comments');
  for (const [name, comment] of [...mviews, ...tables.filter(([table]) => !isMview.has(table))]) {
    if (comment !== undefined) dump.set(oracleDumpKey(ref('table', owner, name), 'description'), comment);
  }
  const columns = await texts(
    asOwner,
    'SELECT table_name AS A, column_name AS B, comments AS C FROM user_col_comments',
  );
  for (const [table, column = '', comment] of columns) {
    dump.set(JSON.stringify(['object', table, column]), 'there');
    if (comment !== undefined) dump.set(oracleDumpKey(ref('column', owner, table, column), 'description'), comment);
  }
  if (!hasAnnotations) return dump;
  const annotations = await texts(
    asOwner,
    'SELECT object_name AS A, column_name AS B, annotation_name AS C, annotation_value AS D FROM user_annotations_usage',
  );
  const lines = new Map<string, string[]>();
  for (const [table, column, tag = '', value = ''] of annotations) {
    const object = column === undefined ? ref('table', owner, table) : ref('column', owner, table, column);
    const key = oracleDumpKey(object, 'tags');
    lines.set(key, [...(lines.get(key) ?? []), ...value.split('\n').map((one) => `${tag}=${one}`)]);
  }
  for (const [key, all] of lines) dump.set(key, all.sort().join('\n'));
  return dump;
}

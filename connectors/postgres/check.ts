import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport } from '../contract.ts';
import type { DatabasePools, Session } from '../postgres-wire/database-pools.ts';
import type { PostgresConfig } from './config.ts';
import { connectorErrorOf } from './errors.ts';
import { postgresSpec } from './spec.ts';

type Finding = CheckReport['findings'][number];

interface ServerRow {
  readonly version: string;
  readonly version_number: number;
  readonly role: string;
  readonly superuser: boolean;
  readonly createdb: boolean;
  readonly standby: boolean;
  readonly read_only: boolean;
}

const SERVER = `
SELECT pg_catalog.current_setting('server_version') AS version, pg_catalog.current_setting('server_version_num')::int AS version_number,
       current_user::text AS role, r.rolsuper AS superuser, r.rolcreatedb AS createdb, pg_catalog.pg_is_in_recovery() AS standby,
       pg_catalog.current_setting('default_transaction_read_only') = 'on' AS read_only
FROM pg_catalog.pg_roles r WHERE r.rolname = current_user`;

/** The oldest version that the statements were written for; older ones are past their end of life anyway. */
const OLDEST_VERSION = 120_000;

/** Owners whose objects the role may not write to, with the number of objects; system schemas are left out. */
const FOREIGN_OWNERS = `
SELECT pg_catalog.pg_get_userbyid(owner)::text AS owner, pg_catalog.count(*)::int AS objects, pg_catalog.min(what) AS example
FROM (
  SELECT c.relowner AS owner, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) AS what
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT pg_catalog.starts_with(n.nspname::text, 'pg_') AND n.nspname <> 'information_schema'
    AND ($1::text[] IS NULL OR EXISTS (
      SELECT FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) AS asked (s, t)
      WHERE asked.s = n.nspname::text AND asked.t = c.relname::text))
  UNION ALL
  SELECT n.nspowner, 'schema ' || pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_namespace n
  WHERE NOT pg_catalog.starts_with(n.nspname::text, 'pg_') AND n.nspname <> 'information_schema'
    AND ($3::text[] IS NULL OR n.nspname::text = ANY ($3::text[]))
  UNION ALL
  SELECT d.datdba, 'database ' || pg_catalog.quote_ident(d.datname) FROM pg_catalog.pg_database d
  WHERE d.datname = pg_catalog.current_database() AND $4::boolean
) AS objects
WHERE NOT pg_catalog.pg_has_role(current_user, owner, 'USAGE')
GROUP BY owner ORDER BY 1`;

/** Schemas whose tables can be named only with USAGE, which the role lacks. */
const CLOSED_SCHEMAS = `
SELECT n.nspname::text AS schema FROM pg_catalog.pg_namespace n
WHERE NOT pg_catalog.starts_with(n.nspname::text, 'pg_') AND n.nspname <> 'information_schema'
  AND ($1::text[] IS NULL OR n.nspname::text = ANY ($1::text[]))
  AND NOT pg_catalog.has_schema_privilege(current_user, n.oid, 'USAGE') ORDER BY 1`;

const CLOSED_DATABASES = `
SELECT datname::text AS database FROM pg_catalog.pg_database
WHERE datallowconn AND NOT datistemplate AND NOT pg_catalog.has_database_privilege(current_user, oid, 'CONNECT') ORDER BY 1`;

const OPEN_DATABASES = `
SELECT datname::text AS database FROM pg_catalog.pg_database
WHERE datallowconn AND NOT datistemplate AND pg_catalog.has_database_privilege(current_user, oid, 'CONNECT') ORDER BY 1`;

/**
 * Whether the role can write what it is meant to: these objects, or (none given) all objects of the target's databases.
 * Every missing privilege comes with the statement that grants it. Throws `ConnectorError` when nothing can be asked at all.
 */
export async function checkServer(
  config: PostgresConfig,
  pools: DatabasePools,
  objects: readonly ObjectRef[],
): Promise<CheckReport> {
  const findings: Finding[] = [];
  const server = await pools.with(config.database, async (session) => {
    const [row] = await rowsOf<ServerRow>(session, SERVER);
    if (row === undefined) throw unanswered();
    findings.push(...serverFindings(row));
    if (config.allDatabases) findings.push(...(await closedDatabases(session, row.role)));
    return row;
  });
  for (const database of await databasesToCheck(config, pools, objects)) {
    const within = objects.filter((object) => object.database === database);
    findings.push(...(await databaseFindings(pools, database, server.role, within)));
  }
  const ok = findings.every(({ severity }) => severity !== 'error');
  return { ok, server: `PostgreSQL ${server.version}`, user: server.role, findings };
}

function serverFindings(row: ServerRow): readonly Finding[] {
  const findings: Finding[] = [];
  if (row.version_number < OLDEST_VERSION) {
    findings.push({ severity: 'warning', message: `PostgreSQL ${row.version} is older than 12 and not tested.` });
  }
  if (row.standby) {
    const remedy = 'Point hostPort at the primary.';
    findings.push({ severity: 'error', message: 'The server is a standby: nothing can be written.', remedy });
  } else if (row.read_only) {
    const remedy = `ALTER ROLE ${quoted(row.role)} SET default_transaction_read_only = off`;
    findings.push({ severity: 'error', message: 'Transactions of this role are read-only by default.', remedy });
  }
  if (row.superuser) {
    const message = 'The role is a superuser. A role that is a member of the owning roles is enough.';
    return [...findings, { severity: 'warning', message }];
  }
  if (!row.createdb) {
    const message = 'Owners of databases cannot be changed without CREATEDB (descriptions can).';
    findings.push({ severity: 'info', message, remedy: `ALTER ROLE ${quoted(row.role)} CREATEDB` });
  }
  const message =
    'To give an object to a new owner, the role must be a member of that owner, and the owner needs CREATE on the schema.';
  return [...findings, { severity: 'info', message, remedy: `GRANT <new owner> TO ${quoted(row.role)}` }];
}

async function closedDatabases(session: Session, role: string): Promise<readonly Finding[]> {
  const rows = await rowsOf<{ database: string }>(session, CLOSED_DATABASES);
  return rows.map(({ database }) => ({
    severity: 'error',
    message: `The role may not connect to the database ${quoted(database)}.`,
    remedy: `GRANT CONNECT ON DATABASE ${quoted(database)} TO ${quoted(role)}`,
  }));
}

async function databasesToCheck(
  config: PostgresConfig,
  pools: DatabasePools,
  objects: readonly ObjectRef[],
): Promise<readonly string[]> {
  const named = new Set(objects.map(({ database }) => database));
  if (!config.allDatabases) return [config.database];
  const open = await pools.with(config.database, (session) => rowsOf<{ database: string }>(session, OPEN_DATABASES));
  const all = open.map(({ database }) => database);
  return named.size === 0 ? all : all.filter((database) => named.has(database));
}

async function databaseFindings(
  pools: DatabasePools,
  database: string,
  role: string,
  objects: readonly ObjectRef[],
): Promise<readonly Finding[]> {
  const all = objects.length === 0;
  const tables = objects.filter(({ table }) => table !== undefined);
  const values = [
    all ? null : tables.map(({ schema }) => schema ?? ''),
    all ? null : tables.map(({ table }) => table ?? ''),
    all ? null : objects.filter(({ level }) => level === 'schema').map(({ schema }) => schema ?? ''),
    all || objects.some(({ level }) => level === 'database'),
  ];
  const schemas = all ? null : tables.map(({ schema }) => schema ?? '');
  return pools.with(database, async (session) => {
    const owners = await rowsOf<{ owner: string; objects: number; example: string }>(session, FOREIGN_OWNERS, values);
    const closed = await rowsOf<{ schema: string }>(session, CLOSED_SCHEMAS, [schemas]);
    return [
      ...owners.map((row): Finding => {
        const others = row.objects > 1 ? ` and ${row.objects - 1} more` : '';
        const message = `In database ${quoted(database)}, ${row.example}${others} belong to ${quoted(row.owner)}; only members of that role can write their comments and owners.`;
        return { severity: 'error', message, remedy: `GRANT ${quoted(row.owner)} TO ${quoted(role)}` };
      }),
      ...closed.map(({ schema }): Finding => {
        const message = `In database ${quoted(database)}, the role has no USAGE on schema ${quoted(schema)}.`;
        return {
          severity: 'error',
          message,
          remedy: `GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${quoted(role)}`,
        };
      }),
    ];
  });
}

async function rowsOf<Row extends object>(
  session: Session,
  query: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  try {
    return (await session.query<Row>(query, [...values])).rows;
  } catch (error) {
    throw connectorErrorOf(error, 'statement');
  }
}

/** Names that come from the server's own catalog can always be quoted. */
function quoted(name: string): string {
  const result = postgresSpec.dialect.quoteIdentifier(name);
  return result.ok ? result.value : '<unprintable name>';
}

function unanswered(): ConnectorError {
  const message = 'The server did not describe the role of this connection.';
  return new ConnectorError({ class: 'transient', scope: 'target', code: 'no-answer', message });
}

import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport } from '../contract.ts';
import type { DatabasePools, Session } from '../postgres-wire/database-pools.ts';
import { rowsOf } from './catalog.ts';
import { inList } from './conditions.ts';
import type { RedshiftConfig } from './config.ts';
import { closedDatabase, readObjects } from './read.ts';
import { readBackslashes } from './session.ts';
import { redshiftSpec } from './spec.ts';

type Finding = CheckReport['findings'][number];

interface User {
  readonly name: string;
  readonly superuser: boolean;
  readonly version: string;
}

const USER = `
SELECT u.usename AS name, u.usesuper AS superuser, pg_catalog.version() AS version
FROM pg_catalog.pg_user u WHERE u.usename = current_user`;

const OPEN_DATABASES = `
SELECT s.database_name FROM pg_catalog.svv_redshift_databases s WHERE s.database_type = 'local' ORDER BY 1`;

/** Schemas that people make; `pg_` is kept for the system. */
const OF_PEOPLE = "n.nspname <> 'information_schema' AND pg_catalog.substr(n.nspname, 1, 3) <> 'pg_'";

/** Owners of tables and views other than ourselves, with the number of objects. */
const FOREIGN_OWNERS = `
SELECT pg_catalog.pg_get_userbyid(r.relowner) AS owner, pg_catalog.count(*) AS objects
FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
WHERE r.relkind IN ('r', 'v') AND ${OF_PEOPLE} AND pg_catalog.pg_get_userbyid(r.relowner) <> current_user
GROUP BY 1 ORDER BY 1`;

/**
 * Whether the user can write what it is meant to: these objects, or (none given) all tables and views of the target's databases.
 * Every missing privilege comes with the statement that grants it. Throws `ConnectorError` when nothing can be asked at all.
 */
export async function checkServer(
  config: RedshiftConfig,
  pools: DatabasePools,
  objects: readonly ObjectRef[],
): Promise<CheckReport> {
  const findings: Finding[] = [];
  const { user, databases } = await pools.with(config.database, async (session) => {
    const [row] = await rowsOf<User>(session, USER);
    if (row === undefined) throw unanswered();
    const reading = await readBackslashes(session);
    const message = `Between single quotes this server reads a backslash as ${reading === 'escape' ? 'an escape' : 'itself'}; Backflow writes none there.`;
    findings.push({ severity: 'info', message }, ...userFindings(row));
    return { user: row, databases: await databasesToCheck(config, session, objects) };
  });
  for (const database of databases) {
    const closed = await pools.with(config.database, (session) => closedDatabase(session, database));
    if (closed !== undefined) {
      const message = `The database ${quoted(database)} comes from a datashare and cannot be changed here.`;
      findings.push({ severity: 'error', message, remedy: 'Write to the cluster that shares it.' });
      continue;
    }
    const within = objects.filter((object) => object.database === database);
    findings.push(
      ...(await pools.with(database, (session) => databaseFindings(session, database, user, objects, within))),
    );
  }
  const ok = findings.every(({ severity }) => severity !== 'error');
  return { ok, server: serverName(user.version), user: user.name, findings };
}

/** `PostgreSQL 8.0.2 on …, Redshift 1.0.54052` → `Redshift 1.0.54052`. */
function serverName(version: string): string {
  return /Redshift [\d.]+/.exec(version)?.[0] ?? version;
}

function userFindings({ superuser, name }: User): readonly Finding[] {
  if (superuser) return [];
  const message =
    'Comments and owners can be changed only by the owner of an object or by a superuser; the right cannot be granted by itself. To give objects to other users takes a superuser.';
  return [{ severity: 'info', message, remedy: `ALTER USER ${quoted(name)} CREATEUSER` }];
}

async function databasesToCheck(
  config: RedshiftConfig,
  session: Session,
  objects: readonly ObjectRef[],
): Promise<readonly string[]> {
  if (!config.allDatabases) return [config.database];
  if (objects.length > 0) return [...new Set(objects.map(({ database }) => database))];
  const rows = await rowsOf<{ database_name: string }>(session, OPEN_DATABASES);
  return rows.map(({ database_name }) => database_name);
}

async function databaseFindings(
  session: Session,
  database: string,
  user: User,
  all: readonly ObjectRef[],
  within: readonly ObjectRef[],
): Promise<readonly Finding[]> {
  if (user.superuser) return [];
  const owned =
    all.length === 0 ? await foreignOwners(session, database, user) : await foreignObjects(session, user, within);
  const schemas =
    all.length === 0 ? undefined : within.flatMap(({ schema, table }) => (table === undefined ? [] : (schema ?? [])));
  return [...owned, ...(await closedSchemas(session, user, schemas))];
}

async function foreignOwners(session: Session, database: string, user: User): Promise<readonly Finding[]> {
  const rows = await rowsOf<{ owner: string; objects: string }>(session, FOREIGN_OWNERS);
  return rows.map(({ owner, objects }) => ({
    severity: 'error',
    message: `In database ${quoted(database)}, ${objects} tables and views belong to ${quoted(owner)}; only that user or a superuser can write to them.`,
    remedy: `ALTER USER ${quoted(user.name)} CREATEUSER`,
  }));
}

/** Each object of the list that belongs to somebody else; what is not there or cannot be written at all is not the privileges' business. */
async function foreignObjects(
  session: Session,
  user: User,
  objects: readonly ObjectRef[],
): Promise<readonly Finding[]> {
  const asTables = objects.map((object) => (object.level === 'column' ? tableOf(object) : object));
  const distinct = [...new Map(asTables.map((object) => [JSON.stringify(namesOf(object)), object])).values()];
  const sources = await readObjects(session, distinct);
  return distinct.flatMap((object, index): readonly Finding[] => {
    const { kind = '', owner } = sources[index] ?? { exists: false };
    if (owner === undefined || owner === user.name || kind.startsWith('external ')) return [];
    const word = object.level === 'table' ? 'TABLE' : object.level.toUpperCase();
    const name = namesOf(object).map(quoted).join('.');
    return [
      {
        severity: 'error',
        message: `The ${kind} ${name} belongs to ${quoted(owner)}; only that user or a superuser can write to it.`,
        remedy: `ALTER ${word} ${name} OWNER TO ${quoted(user.name)}`,
      },
    ];
  });
}

function tableOf({ column: _, ...object }: ObjectRef): ObjectRef {
  return { ...object, level: 'table' };
}

function namesOf({ level, database, schema = '', table = '' }: ObjectRef): readonly string[] {
  if (level === 'database') return [database];
  return level === 'schema' ? [schema] : [schema, table];
}

/** Schemas whose tables can be named only with USAGE, which the user lacks; `names` absent: all that people made. */
async function closedSchemas(
  session: Session,
  user: User,
  names: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  const sendable = names?.filter((name) => redshiftSpec.dialect.quoteLiteral(name).ok);
  if (sendable?.length === 0) return [];
  const which = sendable === undefined ? OF_PEOPLE : `n.nspname ${inList(sendable)}`;
  const rows = await rowsOf<{ schema_name: string }>(
    session,
    `SELECT n.nspname AS schema_name FROM pg_catalog.pg_namespace n
     WHERE ${which} AND NOT pg_catalog.has_schema_privilege(current_user, n.nspname, 'usage') ORDER BY 1`,
  );
  return rows.map(({ schema_name }) => ({
    severity: 'error',
    message: `The user has no USAGE on the schema ${quoted(schema_name)}.`,
    remedy: `GRANT USAGE ON SCHEMA ${quoted(schema_name)} TO ${quoted(user.name)}`,
  }));
}

/** Names that come from the server's own catalog can always be quoted. */
function quoted(name: string): string {
  const result = redshiftSpec.dialect.quoteIdentifier(name);
  return result.ok ? result.value : '<unprintable name>';
}

function unanswered(): ConnectorError {
  const message = 'The server did not describe the user of this connection.';
  return new ConnectorError({ class: 'transient', scope: 'target', code: 'no-answer', message });
}

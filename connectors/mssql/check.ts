import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { CheckReport } from '../contract.ts';
import { mssqlDialect, NAME_UNITS } from '../dialect/mssql-dialect.ts';
import type { MssqlConfig } from './config.ts';
import type { DatabasePools } from './database-pools.ts';
import { readObjects } from './read.ts';
import type { Rows, Session } from './session.ts';
import type { Argument } from './step.ts';

type Finding = CheckReport['findings'][number];

const SERVER = `SELECT CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion')) AS version, CONVERT(nvarchar(128), SERVERPROPERTY(N'Edition')) AS edition,
  SUSER_SNAME() AS login, USER_NAME() AS name, CONVERT(nvarchar(128), DATABASEPROPERTYEX(DB_NAME(), N'Updateability')) AS updateability,
  HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE') AS sees_sessions, HAS_PERMS_BY_NAME(NULL, NULL, N'ALTER ANY CONNECTION') AS ends_sessions`;

const flag = z.number().nullable();
const serverRow = z.object({
  version: z.string(),
  edition: z.string().nullable(),
  login: z.string().nullable(),
  name: z.string().nullable(),
  updateability: z.string().nullable(),
  sees_sessions: flag,
  ends_sessions: flag,
});

/** Databases of users. */
const DATABASES = `SELECT d.name AS name, HAS_DBACCESS(d.name) AS open_to_us FROM sys.databases AS d WHERE d.name NOT IN (N'master', N'tempdb', N'model', N'msdb')`;
const databaseRow = z.object({ name: z.string(), open_to_us: flag });

/** Schemas of users: `dbo` and what was made; fixed ones (sys, INFORMATION_SCHEMA, db_owner, …) have ids up to 4 or from 16384. */
const SCHEMAS = `SELECT s.name AS name, HAS_PERMS_BY_NAME(QUOTENAME(s.name), N'SCHEMA', N'ALTER') AS allowed
FROM sys.schemas AS s WHERE s.schema_id < 16384 AND s.name NOT IN (N'sys', N'INFORMATION_SCHEMA', N'guest')`;
const schemaRow = z.object({ name: z.string(), allowed: flag });

const DATABASE_RIGHTS = `SELECT HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'ALTER') AS alter_database,
  HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'ALTER ANY SENSITIVITY CLASSIFICATION') AS classify`;
const databaseRightsRow = z.object({ alter_database: flag, classify: flag });

const allowedRow = z.object({ place: z.number(), allowed: flag });

/**
 * Whether the login can write what it is meant to: these objects, or (none given) all schemas of the target's databases. Every missing
 * privilege comes with the statement that grants it. Throws `ConnectorError` when nothing can be asked at all.
 */
export async function checkServer(
  config: MssqlConfig,
  pools: DatabasePools,
  objects: readonly ObjectRef[],
): Promise<CheckReport> {
  const findings: Finding[] = [];
  const { server, databases } = await pools.with(pools.home, async (session) => {
    const row = serverRow.parse((await first(session, SERVER))[0]);
    const all = config.allDatabases ? z.array(databaseRow).parse(await first(session, DATABASES)) : [];
    return { server: row, databases: all };
  });
  findings.push(...serverFindings(server));
  const login = quoted(server.login ?? '');
  const named = new Set(objects.map(({ database }) => database));
  for (const { name, open_to_us } of databases) {
    if (open_to_us === 1 || (named.size > 0 && !named.has(name))) continue;
    findings.push({
      severity: 'error',
      message: `The login has no user in the database ${quoted(name)}.`,
      remedy: `USE ${quoted(name)}; CREATE USER ${login} FOR LOGIN ${login}`,
    });
  }
  const covered = config.allDatabases
    ? databases.filter(({ open_to_us }) => open_to_us === 1).map(({ name }) => name)
    : [pools.home];
  for (const database of covered) {
    const within = objects.filter((object) => object.database === database);
    if (objects.length > 0 && within.length === 0) continue;
    findings.push(...(await pools.with(database, (session) => databaseFindings(session, config, database, within))));
  }
  const ok = findings.every(({ severity }) => severity !== 'error');
  const edition = server.edition === null ? '' : ` (${server.edition})`;
  return { ok, server: `SQL Server ${server.version}${edition}`, user: server.login ?? server.name ?? '', findings };
}

function serverFindings(server: z.infer<typeof serverRow>): readonly Finding[] {
  const findings: Finding[] = [];
  if (server.updateability === 'READ_ONLY') {
    const remedy = 'Point hostPort at the primary, or ALTER DATABASE … SET READ_WRITE.';
    findings.push({ severity: 'error', message: 'The database is read-only: nothing can be written.', remedy });
  }
  const login = quoted(server.login ?? '');
  if (server.sees_sessions !== 1 || server.ends_sessions !== 1) {
    findings.push({
      severity: 'info',
      message:
        'The login cannot end sessions that a crashed owner of the lane left behind; a takeover then relies on reading again.',
      remedy: `GRANT VIEW SERVER STATE, ALTER ANY CONNECTION TO ${login}`,
    });
  }
  return findings;
}

async function databaseFindings(
  session: Session,
  config: MssqlConfig,
  database: string,
  objects: readonly ObjectRef[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const user = quoted(
    z.object({ name: z.string() }).parse((await first(session, 'SELECT USER_NAME() AS name'))[0]).name,
  );
  const rights = databaseRightsRow.parse((await first(session, DATABASE_RIGHTS))[0]);
  const all = objects.length === 0;
  if (rights.alter_database !== 1 && (all || objects.some(({ level }) => level === 'database'))) {
    findings.push({
      severity: 'error',
      message: `The user may not write the description and tags of the database ${quoted(database)}.`,
      remedy: `GRANT ALTER ON DATABASE::${quoted(database)} TO ${user}`,
    });
  }
  if (config.classification !== undefined && rights.classify !== 1) {
    findings.push({
      severity: 'error',
      message: `In ${quoted(database)}, the user may not write sensitivity classifications.`,
      remedy: `GRANT ALTER ANY SENSITIVITY CLASSIFICATION TO ${user}`,
    });
  }
  if (all) {
    for (const { name, allowed } of z.array(schemaRow).parse(await first(session, SCHEMAS))) {
      if (allowed !== 1) findings.push(missingAlter(database, 'SCHEMA', quoted(name), user));
    }
  } else {
    findings.push(...(await objectFindings(session, config, database, objects, user)));
  }
  const message =
    'To give an object to a new owner, the user needs TAKE OWNERSHIP on it (CONTROL on the schema for all of its tables), and to be, to belong to or to impersonate the new owner.';
  const remedy = `GRANT CONTROL ON SCHEMA::<schema> TO ${user}; GRANT IMPERSONATE ON USER::<new owner> TO ${user}`;
  return [...findings, { severity: 'info', message, remedy }];
}

async function objectFindings(
  session: Session,
  config: MssqlConfig,
  database: string,
  objects: readonly ObjectRef[],
  user: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const securables = new Map<string, { readonly kind: 'SCHEMA' | 'OBJECT'; readonly name: string }>();
  const sources = await readObjects(session, objects, config);
  for (const [place, object] of objects.entries()) {
    if (sources[place]?.exists !== true) {
      const path = [object.schema, object.table, ...(object.column ?? [])]
        .flatMap((one) => one ?? [])
        .map(quoted)
        .join('.');
      const message = `In ${quoted(database)}, the ${object.level} ${path} does not exist, or the user may not see it.`;
      findings.push({ severity: 'warning', message, remedy: `GRANT VIEW DEFINITION TO ${user}` });
    } else if (object.level === 'schema') {
      const name = quoted(object.schema ?? '');
      securables.set(`SCHEMA ${name}`, { kind: 'SCHEMA', name });
    } else if (object.level !== 'database') {
      const name = `${quoted(object.schema ?? '')}.${quoted(object.table ?? '')}`;
      securables.set(`OBJECT ${name}`, { kind: 'OBJECT', name });
    }
  }
  const list = [...securables.values()];
  for (let start = 0; start < list.length; start += 200) {
    const chunk = list.slice(start, start + 200);
    const args = chunk.map(
      ({ name }, place): Argument => ({ name: `s${place}`, value: name, units: 4 * NAME_UNITS + 8 }),
    );
    const rows = chunk.map(({ kind }, place) => `(${place}, @s${place}, N'${kind}')`).join(', ');
    const asked = `SELECT a.place AS place, HAS_PERMS_BY_NAME(a.name, a.kind, N'ALTER') AS allowed FROM (VALUES ${rows}) AS a (place, name, kind)`;
    for (const { place, allowed } of z.array(allowedRow).parse(await first(session, asked, args))) {
      const securable = chunk[place];
      if (allowed !== 1 && securable !== undefined) {
        findings.push(missingAlter(database, securable.kind, securable.name, user));
      }
    }
  }
  return findings;
}

function missingAlter(database: string, kind: 'SCHEMA' | 'OBJECT', name: string, user: string): Finding {
  return {
    severity: 'error',
    message: `In ${quoted(database)}, the user may not write descriptions and tags of ${kind.toLowerCase()} ${name}.`,
    remedy: `GRANT ALTER ON ${kind}::${name} TO ${user}`,
  };
}

async function first(session: Session, text: string, args: readonly Argument[] = []): Promise<Rows> {
  const [rows = []] = await session.ask(text, args);
  return rows;
}

function quoted(name: string): string {
  const identifier = mssqlDialect.quoteIdentifier(name);
  return identifier.ok ? identifier.value : '[?]';
}

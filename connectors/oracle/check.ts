import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { CheckReport, SourceObject } from '../contract.ts';
import { quoteOracleName } from '../dialect/oracle-dialect.ts';
import { detailOf } from './detail.ts';
import { readObjects } from './read.ts';
import type { Session } from './session.ts';

type Finding = CheckReport['findings'][number];

const nameRow = z.object({ NAME: z.string() });
const valueRow = z.object({ VALUE: z.string().nullable() });
const grantRow = z.object({ OWNER: z.string(), NAME: z.string() });

/** Looks whether the objects exist and what the user may not do, with the GRANT for each gap. Throws `ConnectorError`. */
export async function checkServer(session: Session, objects: readonly ObjectRef[]): Promise<CheckReport> {
  const privileges = new Set(
    (await session.rows('SELECT privilege AS NAME FROM session_privs', nameRow)).map(({ NAME }) => NAME),
  );
  const sources = await readObjects(session, objects);
  const findings = [
    ...(await roleFindings(session)),
    ...serverFindings(session, privileges),
    ...objects.flatMap((object, index) => missingFinding(object, sources[index])),
    ...commentFindings(session, privileges, objects.length === 0 ? undefined : sources),
    ...(await annotationFindings(session, privileges, sources)),
  ];
  return {
    ok: findings.every(({ severity }) => severity !== 'error'),
    server: session.server,
    user: session.user,
    findings,
  };
}

async function roleFindings(session: Session): Promise<readonly Finding[]> {
  const [role] = await session.rows("SELECT sys_context('USERENV', 'DATABASE_ROLE') AS VALUE FROM dual", valueRow);
  if (role?.VALUE === undefined || role.VALUE === null || role.VALUE === 'PRIMARY') return [];
  const message = `The database is a ${role.VALUE.toLowerCase()}: nothing can be written.`;
  return [{ severity: 'error', message, remedy: 'Point hostPort at the primary.' }];
}

function serverFindings(session: Session, privileges: ReadonlySet<string>): readonly Finding[] {
  const findings: Finding[] = [];
  const user = quoted(session.user);
  if (!session.charset.isUnicode) {
    const message = `The database's character set ${session.charset.name} does not hold every character; others are written as question marks, with a note.`;
    findings.push({ severity: 'info', message });
  }
  if (!session.annotations) {
    const message = `${session.server} has no annotations (23ai has, and 19c from 19.28 on): tags are skipped.`;
    findings.push({ severity: 'info', message });
  }
  if (session.views === 'all') {
    const message = 'The user sees only objects that it may use itself; others count as missing.';
    findings.push({ severity: 'info', message, remedy: `GRANT SELECT_CATALOG_ROLE TO ${user}` });
  }
  if (session.views === 'all' || !privileges.has('ALTER SYSTEM')) {
    const message =
      'Sessions that a lost replica left behind cannot be ended before the first write (SELECT_CATALOG_ROLE and ALTER SYSTEM).';
    findings.push({ severity: 'info', message, remedy: `GRANT ALTER SYSTEM TO ${user}` });
  }
  return findings;
}

function missingFinding(
  { level, schema, table, column }: ObjectRef,
  source: SourceObject | undefined,
): readonly Finding[] {
  if (source?.exists !== false) return [];
  const path = [schema, table, ...(column ?? [])].filter((part) => part !== undefined).join('.');
  const reason = detailOf(source)?.ambiguous === undefined ? 'does not exist, or the user may not see it' : AMBIGUOUS;
  return [{ severity: 'warning', message: `The ${level} ${path} ${reason}.` }];
}

const AMBIGUOUS = 'cannot be told from another one that differs only in upper and lower case';

/** Schema and object of what exists, by the dictionary's names. */
function places(sources: readonly SourceObject[]): readonly { schema: string; table: string; source: SourceObject }[] {
  return sources.flatMap((source) => {
    const [schema, table] = detailOf(source)?.names ?? [];
    return schema === undefined || table === undefined ? [] : [{ schema, table, source }];
  });
}

function commentFindings(
  session: Session,
  privileges: ReadonlySet<string>,
  sources: readonly SourceObject[] | undefined,
): readonly Finding[] {
  const findings: Finding[] = [];
  const found = places(sources ?? []);
  if (found.some(({ schema }) => schema === 'SYS') && session.user !== 'SYS') {
    const message = 'Objects of SYS cannot be commented by anybody else; their descriptions fail.';
    findings.push({ severity: 'warning', message });
  }
  if (privileges.has('COMMENT ANY TABLE')) return findings;
  const remedy = `GRANT COMMENT ANY TABLE TO ${quoted(session.user)}`;
  if (sources === undefined) {
    const message = `Without COMMENT ANY TABLE only objects of the user's own schema ${session.user} can be described.`;
    return [...findings, { severity: 'warning', message, remedy }];
  }
  const foreign = [...new Set(found.map(({ schema }) => schema))].filter(
    (one) => one !== session.user && one !== 'SYS',
  );
  if (foreign.length === 0) return findings;
  const message = `COMMENT ANY TABLE is missing: objects of ${foreign.sort().join(', ')} cannot be described.`;
  return [...findings, { severity: 'error', message, remedy }];
}

/** Only for channels that write tags, which nobody here knows: never more than a warning. */
async function annotationFindings(
  session: Session,
  privileges: ReadonlySet<string>,
  sources: readonly SourceObject[],
): Promise<readonly Finding[]> {
  if (!session.annotations) return [];
  const grants = await session.rows(
    "SELECT owner AS OWNER, table_name AS NAME FROM all_tab_privs_recd WHERE privilege = 'ALTER'",
    grantRow,
  );
  const granted = new Set(grants.map(({ OWNER, NAME }) => JSON.stringify([OWNER, NAME])));
  const remedies = new Map<string, string>();
  for (const { schema, table, source } of places(sources)) {
    if (schema === session.user || schema === 'SYS') continue;
    const [privilege, isGranted] =
      source.kind === 'table'
        ? [`ALTER ON ${quoted(schema)}.${quoted(table)}`, granted.has(JSON.stringify([schema, table]))]
        : [source.kind === 'view' ? 'ALTER ANY TABLE' : 'ALTER ANY MATERIALIZED VIEW', false];
    const any = source.kind === 'materialized view' ? 'ALTER ANY MATERIALIZED VIEW' : 'ALTER ANY TABLE';
    if (source.kind === 'external table' || isGranted || privileges.has(any)) continue;
    remedies.set(`GRANT ${privilege} TO ${quoted(session.user)}`, `${schema}.${table}`);
  }
  return [...remedies].map(([remedy, name]) => ({
    severity: 'warning',
    message: `Tags of ${name} cannot be written as annotations; its description can.`,
    remedy,
  }));
}

/** Names that come from the server's own dictionary can always be quoted. */
function quoted(name: string): string {
  const result = quoteOracleName(name);
  return result.ok ? result.value : '<unprintable name>';
}

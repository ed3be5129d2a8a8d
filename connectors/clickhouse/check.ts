import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { CheckReport } from '../contract.ts';
import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import type { ClickhouseClient } from './client.ts';
import { readObjects } from './read.ts';

type Finding = CheckReport['findings'][number];

/** A privilege on a place, as GRANT and CHECK GRANT name them. */
interface Need {
  readonly privilege: string;
  /** Quoted table, all of a database, or everything (`*.*`). */
  readonly place: string;
}

/** What it takes to read the comments of all servers of a cluster. */
const REPLICA_NEEDS: readonly Need[] = [
  { privilege: 'REMOTE', place: '*.*' },
  ...['databases', 'tables', 'columns'].map((table) => ({ privilege: 'SHOW COLUMNS', place: `system.${table}` })),
];

/** Needs put into one CHECK GRANT: one answer for all, and one by one only where that is no. */
const TOGETHER = 100;

/**
 * Whether the account can write what it is meant to: these objects, or (none given) everything in the databases that it sees. Each
 * missing privilege comes with the statement that grants it. Throws `ConnectorError` when nothing can be asked at all.
 */
export async function checkServer(client: ClickhouseClient, objects: readonly ObjectRef[]): Promise<CheckReport> {
  const findings: Finding[] = [...(await readonlyFindings(client)), ...versionFindings(client.server)];
  const needs = objects.length === 0 ? await needsOfAll(client) : await needsOf(client, objects, findings);
  if (client.cluster !== undefined) needs.push({ privilege: 'CLUSTER', place: '*.*' });
  try {
    const remedy = ({ privilege, place }: Need) => `GRANT ${privilege} ON ${place} TO ${quoted(client.user)};`;
    for (const need of await missingOf(client, needs)) {
      const message = `${need.privilege} is missing on ${need.place}: comments cannot be written without it.`;
      findings.push({ severity: 'error', message, remedy: remedy(need) });
    }
    for (const need of client.cluster === undefined ? [] : await missingOf(client, REPLICA_NEEDS)) {
      const message = `${need.privilege} is missing on ${need.place}: comments are read back from one server of the cluster only.`;
      findings.push({ severity: 'warning', message, remedy: remedy(need) });
    }
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
    findings.push({
      severity: 'info',
      message: `This server cannot be asked for privileges (CHECK GRANT, error ${error.code}); a missing one shows at the first write.`,
    });
  }
  return {
    ok: findings.every(({ severity }) => severity !== 'error'),
    server: client.server,
    user: client.user,
    findings,
  };
}

/** The oldest version whose tables have comments that can be changed. */
const OLDEST = [23, 9] as const;

export function versionFindings(server: string): readonly Finding[] {
  const [, year, month] = /(\d+)\.(\d+)/.exec(server) ?? [];
  const old = Number(year) < OLDEST[0] || (Number(year) === OLDEST[0] && Number(month) < OLDEST[1]);
  return old
    ? [{ severity: 'warning', message: `${server} is older than 23.9: comments of tables cannot be changed there.` }]
    : [];
}

async function readonlyFindings(client: ClickhouseClient): Promise<readonly Finding[]> {
  const [row] = await client.rows("SELECT toString(getSetting('readonly'))", z.tuple([z.string()]));
  if (row === undefined || row[0] === '0') return [];
  const remedy = `ALTER USER ${quoted(client.user)} SETTINGS readonly = 0;`;
  return [
    { severity: 'error', message: 'The account is read-only (setting readonly): nothing can be written.', remedy },
  ];
}

const DATABASES = `SELECT name FROM system.databases
WHERE name NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') ORDER BY name`;

async function needsOfAll(client: ClickhouseClient): Promise<Need[]> {
  const rows = await client.rows(DATABASES, z.tuple([z.string()]));
  return rows.flatMap(([name]) =>
    ['ALTER MODIFY COMMENT', 'ALTER COMMENT COLUMN', 'ALTER MODIFY DATABASE COMMENT'].map((privilege) => ({
      privilege,
      place: `${quoted(name)}.*`,
    })),
  );
}

async function needsOf(client: ClickhouseClient, objects: readonly ObjectRef[], findings: Finding[]): Promise<Need[]> {
  const sources = await readObjects(client, objects);
  const needs = new Map<string, Need>();
  for (const [index, object] of objects.entries()) {
    const { level, schema, table } = object;
    if (level === 'database' || schema === undefined) continue;
    const source = sources[index];
    if (source?.exists === false) {
      const path = [schema, table, ...(object.column ?? [])].filter((part) => part !== undefined).join('.');
      findings.push({
        severity: 'warning',
        message: `The ${level} ${path} does not exist, or the account may not see it.`,
      });
    }
    if (level === 'column' && source?.kind === 'dictionary') continue;
    const need = needOf(level, quoted(schema), quoted(table ?? ''));
    needs.set(JSON.stringify(need), need);
  }
  return [...needs.values()];
}

function needOf(level: 'schema' | 'table' | 'column', schema: string, table: string): Need {
  if (level === 'schema') return { privilege: 'ALTER MODIFY DATABASE COMMENT', place: `${schema}.*` };
  return {
    privilege: level === 'table' ? 'ALTER MODIFY COMMENT' : 'ALTER COMMENT COLUMN',
    place: `${schema}.${table}`,
  };
}

async function missingOf(client: ClickhouseClient, needs: readonly Need[]): Promise<readonly Need[]> {
  const missing: Need[] = [];
  for (let at = 0; at < needs.length; at += TOGETHER) {
    const some = needs.slice(at, at + TOGETHER);
    if (await granted(client, some)) continue;
    for (const need of some) if (!(await granted(client, [need]))) missing.push(need);
  }
  return missing;
}

async function granted(client: ClickhouseClient, needs: readonly Need[]): Promise<boolean> {
  const list = needs.map(({ privilege, place }) => `${privilege} ON ${place}`).join(', ');
  return (await client.text(`CHECK GRANT ${list}`)).trim() === '1';
}

/** Names that come from the server or were found there can always be quoted. */
function quoted(name: string): string {
  const result = clickhouseDialect.quoteIdentifier(name);
  return result.ok ? result.value : '<unprintable name>';
}

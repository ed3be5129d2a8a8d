import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { CheckReport } from '../contract.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';
import { type Grant, grantPattern, isGranted, parseGrant } from './grants.ts';
import { readObjects } from './read.ts';
import { describeServer, hasSchemaComments } from './server.ts';
import type { Session } from './session.ts';

type Finding = CheckReport['findings'][number];

/** What has to be allowed to write one object. */
interface Need {
  readonly privilege: 'ALTER' | 'SELECT' | 'LOCK TABLES';
  readonly database: string;
  readonly table?: string;
}

/** Looks whether the objects exist and what the account may not do, with the GRANT for each gap. */
export async function checkServer(session: Session, objects: readonly ObjectRef[]): Promise<CheckReport> {
  const findings: Finding[] = [];
  if (session.readOnly) {
    findings.push({
      severity: 'error',
      message: 'The server is read-only (read_only is on).',
      remedy: 'Connect to the primary.',
    });
  }
  if (!hasSchemaComments(session.server)) {
    findings.push({
      severity: 'info',
      message: `${describeServer(session.server)} has no comments on databases: descriptions of schemas are skipped.`,
    });
  }
  const sources = await readObjects(session, objects);
  const needs = new Map<string, Need>();
  for (const [index, object] of objects.entries()) {
    if (sources[index]?.exists === false) {
      const path = [object.schema, object.table, ...(object.column ?? [])]
        .filter((part) => part !== undefined)
        .join('.');
      findings.push({
        severity: 'warning',
        message: `The ${object.level} ${path} does not exist, or the account may not see it.`,
      });
    }
    if (sources[index]?.kind === 'view') continue;
    for (const need of needsOf(object, session)) needs.set(JSON.stringify(need), need);
  }
  const grants = await readGrants(session);
  for (const need of needs.values()) {
    if (isGranted(grants, need.privilege, need.database, need.table)) continue;
    findings.push(missing(need, session.account));
  }
  return {
    ok: findings.every(({ severity }) => severity !== 'error'),
    server: describeServer(session.server),
    user: session.account,
    findings,
  };
}

function needsOf({ level, schema, table }: ObjectRef, session: Session): readonly Need[] {
  if (schema === undefined || level === 'database') return [];
  if (level === 'schema') return hasSchemaComments(session.server) ? [{ privilege: 'ALTER', database: schema }] : [];
  if (table === undefined) return [];
  const alter: Need = { privilege: 'ALTER', database: schema, table };
  if (level === 'table') return [alter];
  return [alter, { privilege: 'SELECT', database: schema, table }, { privilege: 'LOCK TABLES', database: schema }];
}

const grantRow = z.record(z.string(), z.string());

async function readGrants(session: Session): Promise<readonly Grant[]> {
  const rows = await session.rows('SHOW GRANTS', grantRow);
  return rows.flatMap((row) => Object.values(row)).flatMap((line) => parseGrant(line) ?? []);
}

function missing({ privilege, database, table }: Need, account: string): Finding {
  const quoted = mysqlDialect.quoteIdentifier(table ?? '');
  const place = `${table === undefined ? grantPattern(database) : mysqlName(database)}.${quoted.ok ? quoted.value : '*'}`;
  const purpose =
    privilege === 'LOCK TABLES' ? 'column comments are written under a lock' : 'comments cannot be written without it';
  return {
    severity: 'error',
    message: `${privilege} is missing on ${table === undefined ? `database ${database}` : `${database}.${table}`}: ${purpose}.`,
    remedy: `GRANT ${privilege} ON ${place} TO ${accountName(account)};`,
  };
}

function mysqlName(name: string): string {
  const quoted = mysqlDialect.quoteIdentifier(name);
  return quoted.ok ? quoted.value : '*';
}

/** `user@host` as an account: the host stands behind the last `@`. */
function accountName(account: string): string {
  const at = account.lastIndexOf('@');
  const [user, host] = [account.slice(0, at), account.slice(at + 1)].map((part) => mysqlDialect.quoteLiteral(part));
  return user?.ok === true && host?.ok === true ? `${user.value}@${host.value}` : account;
}

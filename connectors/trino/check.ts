import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { CheckReport, SourceObject } from '../contract.ts';
import { trinoDialect } from '../dialect/trino-dialect.ts';
import { detailOf } from './detail.ts';
import { planTrino } from './plan.ts';
import { formatPrincipal } from './principal.ts';
import { permissionFor } from './privilege-probe.ts';
import { type ReadContext, readObjects } from './read.ts';
import { rowKey } from './read-query.ts';

type Finding = CheckReport['findings'][number];

/** Who the server says that we are. */
export interface Identity {
  readonly version: string;
  readonly user: string;
}

/** Objects whose privileges are asked for at the most: each takes three statements. */
const PROBES = 50;

/**
 * Whether the account can write what it is meant to. Trino has no list of privileges to look into: for each object given, its access
 * control is asked by statements that cannot write. Throws `ConnectorError` when nothing can be asked at all.
 */
export async function checkServer(
  context: ReadContext,
  identity: Identity,
  objects: readonly ObjectRef[],
): Promise<CheckReport> {
  const findings: Finding[] = [];
  if ((await context.connectors()).size === 0) {
    findings.push({
      severity: 'info',
      message:
        'The account may not see system.metadata.catalogs, so views of Hive are asked for their grants in every catalog.',
    });
  }
  const sources = await readObjects(context, objects);
  const probed = new Set<string>();
  for (const [index, object] of objects.entries()) {
    const source = sources[index] ?? { exists: false };
    const key = rowKey(object.level, object.database, object.schema, object.table);
    if (!source.exists) findings.push(missing(object));
    else if (detailOf(source).grantsAtStake === true) findings.push(grants(object));
    else if (!probed.has(key) && probed.size < PROBES) {
      probed.add(key);
      findings.push(...(await denied(context, identity, object, source)));
    }
  }
  if (probed.size === PROBES) {
    findings.push({ severity: 'info', message: `Only the privileges of the first ${PROBES} objects were asked for.` });
  }
  const ok = findings.every(({ severity }) => severity !== 'error');
  return { ok, server: `Trino ${identity.version}`, user: identity.user, findings };
}

function pathOf({ database, schema, table, column }: ObjectRef): string {
  return [database, schema, table, ...(column ?? [])].filter((part) => part !== undefined).join('.');
}

function missing(object: ObjectRef): Finding {
  const message = `The ${object.level} ${pathOf(object)} does not exist, or the account may not see it.`;
  return { severity: 'warning', message };
}

function grants(object: ObjectRef): Finding {
  const message = `The view ${pathOf(object)} has grants that a comment would take away (Hive with sql-standard security): descriptions are skipped.`;
  return { severity: 'info', message };
}

async function denied(
  { client }: ReadContext,
  { user }: Identity,
  object: ObjectRef,
  source: SourceObject,
): Promise<readonly Finding[]> {
  const remedy = remedyFor(object, source, user);
  const findings: Finding[] = [];
  // What stands there already, so that nothing would change even if it were carried out.
  const description: Operation = { aspect: 'description', object, text: source.description };
  if (await isDenied(description)) {
    findings.push({ severity: 'error', message: `The account may not set comments on ${pathOf(object)}.`, remedy });
  }
  const principal = source.owner ?? formatPrincipal({ kind: 'USER', name: user });
  if (object.level !== 'column' && (await isDenied({ aspect: 'owners', object, principal }))) {
    findings.push({
      severity: 'warning',
      message: `The account may not change the owner of ${pathOf(object)}.`,
      remedy,
    });
  }
  return findings;

  async function isDenied(operation: Operation): Promise<boolean> {
    const planned = planTrino(operation, source, {});
    const [statement] = planned.ok ? planned.value.statements : [];
    return statement !== undefined && (await permissionFor(client, statement)) === 'denied';
  }
}

/** Which statement or rule gives the right depends on who decides: Hive's own security, or the access control of the server. */
function remedyFor(object: ObjectRef, source: SourceObject, user: string): string {
  const catalog = trinoDialect.quoteIdentifier(object.database);
  const name = trinoDialect.quoteIdentifier(user);
  if (detailOf(source).connector === 'hive' && catalog.ok && name.ok) {
    return `GRANT admin TO USER ${name.value} IN ${catalog.value}, and in the connection backflow: { roles: { ${object.database}: admin } }`;
  }
  const place = { user, catalog: object.database, schema: object.schema };
  const rule =
    object.level === 'schema'
      ? { schemas: [{ ...place, owner: true }] }
      : { tables: [{ ...place, table: object.table, privileges: ['SELECT', 'OWNERSHIP'] }] };
  return `Give the account ownership in the access control of the server; as a rule of the file-based one: ${JSON.stringify(rule)}`;
}

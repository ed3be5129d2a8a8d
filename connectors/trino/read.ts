import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { SourceObject } from '../contract.ts';
import { trinoDialect } from '../dialect/trino-dialect.ts';
import type { StatementClient } from './client/statement-client.ts';
import type { TrinoDetail } from './detail.ts';
import type { RememberedLacks } from './lacks.ts';
import { formatPrincipal, ownerIn } from './principal.ts';
import { type CatalogRows, catalogQuery, catalogRow, rowKey, rowsByKey } from './read-query.ts';

/** What reads of one connection share. */
export interface ReadContext {
  readonly client: StatementClient;
  readonly lacks: RememberedLacks;
  /** Connector by catalog (lower case), as far as the account may see it. */
  readonly connectors: () => Promise<ReadonlyMap<string, string>>;
}

/** Objects in one query at the most. */
const OBJECTS = 100;

/** The present state of the objects, in the order asked: one query for each catalog, and one more for owners of schemas or views of Hive. */
export async function readObjects(
  context: ReadContext,
  objects: readonly ObjectRef[],
): Promise<readonly SourceObject[]> {
  const connectors = objects.length === 0 ? new Map<string, string>() : await context.connectors();
  const answers = new Map<ObjectRef, SourceObject>();
  for (const [catalog, all] of Map.groupBy(objects, ({ database }) => database)) {
    const connector = connectors.get(catalog.toLowerCase());
    for (let at = 0; at < all.length; at += OBJECTS) {
      const some = all.slice(at, at + OBJECTS);
      for (const [object, source] of await readCatalog(context, catalog, connector, some)) answers.set(object, source);
    }
  }
  return objects.map((object) => answers.get(object) ?? { exists: false });
}

async function readCatalog(
  context: ReadContext,
  catalog: string,
  connector: string | undefined,
  objects: readonly ObjectRef[],
): Promise<ReadonlyMap<ObjectRef, SourceObject>> {
  const lacks = context.lacks.of(catalog);
  const known: TrinoDetail = {
    ...(connector === undefined ? {} : { connector }),
    ...(lacks.length === 0 ? {} : { lacks: [...lacks] }),
  };
  const rows = await rowsOf(context.client, catalog, objects);
  const atStake = await grantsAtStake(context.client, catalog, connector, objects, rows);
  const answers = new Map<ObjectRef, SourceObject>();
  for (const object of objects) {
    const detail = atStake.has(rowKey(object.schema, object.table)) ? { ...known, grantsAtStake: true } : known;
    const source = sourceOf(object, rows, detail);
    const owner = object.level === 'schema' && source.exists ? await schemaOwner(context.client, object) : undefined;
    answers.set(object, owner === undefined ? source : { ...source, owner });
  }
  return answers;
}

/** Undefined: there is no such catalog. */
async function rowsOf(
  client: StatementClient,
  catalog: string,
  objects: readonly ObjectRef[],
): Promise<CatalogRows | undefined> {
  const query = catalogQuery(catalog, objects);
  if (query === undefined) return undefined;
  try {
    return rowsByKey(await client.rows(query, catalogRow));
  } catch (error) {
    if (error instanceof ConnectorError && error.code === 'CATALOG_NOT_FOUND') return undefined;
    throw error;
  }
}

const nothing = z.array(z.unknown());
const oneText = z.tuple([z.string()]);

/**
 * The views whose grants a comment would take away. Trino's Hive connector makes a view anew for each comment, and with sql-standard
 * security the new one has the initial grants of the current user only. Any grant that can be seen means that there is such security.
 */
async function grantsAtStake(
  client: StatementClient,
  catalog: string,
  connector: string | undefined,
  objects: readonly ObjectRef[],
  rows: CatalogRows | undefined,
): Promise<ReadonlySet<string>> {
  const views = objects.filter(({ schema, table }) => rows?.kinds.get(rowKey(schema, table)) === 'view');
  const atStake = new Set<string>();
  if (connector !== undefined && connector !== 'hive') return atStake;
  for (const [key, [view]] of Map.groupBy(views, ({ schema, table }) => rowKey(schema, table))) {
    const [name, schema, table] = [
      trinoDialect.quoteIdentifier(catalog),
      trinoDialect.quoteLiteral(view?.schema?.toLowerCase() ?? ''),
      trinoDialect.quoteLiteral(view?.table?.toLowerCase() ?? ''),
    ];
    if (!name.ok || !schema.ok || !table.ok) continue;
    const query = `SELECT 1 FROM ${name.value}.information_schema.table_privileges WHERE table_schema = ${schema.value} AND table_name = ${table.value} LIMIT 1`;
    if (await hasRows(client, query)) atStake.add(key);
  }
  return atStake;
}

async function hasRows(client: StatementClient, query: string): Promise<boolean> {
  try {
    return (await client.rows(query, nothing)).length > 0;
  } catch (error) {
    // Hive without security of its own knows no grants.
    if (error instanceof ConnectorError && error.code === 'NOT_SUPPORTED') return false;
    throw error;
  }
}

/** The only owner that Trino tells; undefined where it does not. */
async function schemaOwner(client: StatementClient, { database, schema = '' }: ObjectRef): Promise<string | undefined> {
  const [one, other] = [trinoDialect.quoteIdentifier(database), trinoDialect.quoteIdentifier(schema)];
  if (!one.ok || !other.ok) return undefined;
  try {
    const [row] = await client.rows(`SHOW CREATE SCHEMA ${one.value}.${other.value}`, oneText);
    const owner = row === undefined ? undefined : ownerIn(row[0]);
    return owner === undefined ? undefined : formatPrincipal(owner);
  } catch (error) {
    if (error instanceof ConnectorError && error.scope === 'object') return undefined;
    throw error;
  }
}

function sourceOf(object: ObjectRef, rows: CatalogRows | undefined, detail: TrinoDetail): SourceObject {
  const missing = (part: NonNullable<TrinoDetail['missing']>): SourceObject => ({
    exists: false,
    detail: { ...detail, missing: part },
  });
  const found = (kind: string, comment?: string | null): SourceObject => ({
    exists: true,
    kind,
    detail,
    ...(comment === undefined || comment === null || comment === '' ? {} : { description: comment }),
  });
  const { level, schema, table, column } = object;
  if (rows === undefined) return missing('catalog');
  if (level === 'database') return found('catalog');
  if (!rows.schemas.has(rowKey(schema))) return missing('schema');
  if (level === 'schema') return found('schema');
  const kind = rows.kinds.get(rowKey(schema, table));
  if (kind === undefined) return missing('table');
  if (level === 'table') return found(kind, rows.comments.get(rowKey(schema, table)));
  const key = rowKey(schema, table, column?.[0]);
  if (!rows.columns.has(key)) return missing('column');
  // A field inside of a column exists with its column, and has no comment of its own.
  return found(kind, column?.length === 1 ? rows.columns.get(key) : undefined);
}

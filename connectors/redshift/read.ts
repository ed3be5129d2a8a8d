import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { SourceObject } from '../contract.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import { missingObject } from '../postgres-wire/missing.ts';
import {
  askColumns,
  askDatabase,
  askDatabaseType,
  askExternalColumns,
  askExternalSchemas,
  askExternalTables,
  askLateBindingColumns,
  askRelations,
  askSchemas,
  type ColumnRow,
  type Path,
  type RelationRow,
  type SchemaRow,
} from './catalog.ts';
import { canBeAsked } from './conditions.ts';

/** Objects in one round of questions: statements stay far below Redshift's limit of 16 MB. */
const CHUNK = 200;

/** Whether the database is only shared with this cluster; it can be read, not changed. */
export async function closedDatabase(session: Session, database: string): Promise<'database-shared' | undefined> {
  if (!canBeAsked(database)) return undefined;
  const type = await askDatabaseType(session, database);
  return type === 'shared' ? 'database-shared' : undefined;
}

/** Present state of objects of the connected database, in the order asked; a few round trips for all. Throws `ConnectorError`. */
export async function readObjects(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  const answers: SourceObject[] = [];
  for (let start = 0; start < objects.length; start += CHUNK) {
    answers.push(...(await readChunk(session, objects.slice(start, start + CHUNK))));
  }
  return answers;
}

interface Found {
  readonly schemas: ReadonlyMap<string, SchemaRow>;
  readonly external: ReadonlySet<string>;
  readonly relations: ReadonlyMap<string, RelationRow>;
  /** Comments of the columns that there are; of late-binding views and external tables without any. */
  readonly columns: ReadonlyMap<string, string | null>;
}

async function readChunk(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  // A name that cannot be sent cannot exist.
  const askable = objects.filter((object) => [object.schema, object.table, ...(object.column ?? [])].every(canBeAsked));
  const database = askable.some(({ level }) => level === 'database') ? await askDatabase(session) : undefined;
  const found = await ask(session, askable);
  return objects.map((object) => {
    if (object.level !== 'database') return toSource(object, found);
    return database === undefined ? missingObject('database-missing') : present('database', database);
  });
}

async function ask(session: Session, objects: readonly ObjectRef[]): Promise<Found> {
  const names = objects.flatMap(({ schema }) => schema ?? []);
  const schemas = new Map((await askSchemas(session, names)).map((row) => [row.schema_name, row]));
  const external = await askExternalSchemas(session, [...schemas.keys()]);
  const tables = distinct(
    objects.flatMap(({ schema, table }) => (schema === undefined || table === undefined ? [] : [[schema, table]])),
  );
  const columns = distinct(
    objects.flatMap(({ schema, table, column = [] }) =>
      schema === undefined || table === undefined || column.length !== 1 ? [] : [[schema, table, ...column]],
    ),
  );
  const isExternal = ([schema = '']: Path) => external.has(schema);
  const isInside = (path: Path) => !isExternal(path);
  const outside = tables.filter(isExternal);
  const relations = [
    ...(await askRelations(session, tables.filter(isInside))),
    ...(await orAsked(outside, askExternalTables(session, outside))).map(externalRelation),
  ].map((row) => [keyOf([row.schema_name, row.table_name]), row] as const);
  const byPath = new Map(relations);
  const isLate = ([schema = '', table = '']: Path) => {
    const relation = byPath.get(keyOf([schema, table]));
    return relation !== undefined && kindOf(relation) === 'late-binding view';
  };
  const [lateColumns, outsideColumns] = [columns.filter(isLate), columns.filter(isExternal)];
  const rows = [
    ...(await askColumns(session, columns.filter(isInside))),
    ...(await orAsked(lateColumns, askLateBindingColumns(session, lateColumns))),
    ...(await orAsked(outsideColumns, askExternalColumns(session, outsideColumns))),
  ];
  return {
    schemas,
    external,
    relations: byPath,
    columns: new Map(
      rows.map((row) => [keyOf([row.schema_name, row.table_name, row.column_name]), row.description ?? null]),
    ),
  };
}

/**
 * What lies outside, or is resolved only when asked for, can be out of reach. That must not fail the objects beside it; and since it
 * cannot be written in any case, it may then as well exist.
 */
async function orAsked(asked: readonly Path[], answer: Promise<readonly ColumnRow[]>): Promise<readonly ColumnRow[]> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope !== 'object') throw error;
    return asked.map(([schema_name = '', table_name = '', column_name = '']) => ({
      schema_name,
      table_name,
      column_name,
    }));
  }
}

function externalRelation(row: { readonly schema_name: string; readonly table_name: string }): RelationRow {
  const { schema_name, table_name } = row;
  return { schema_name, table_name, relkind: 'external', relnatts: 0, definition: null, description: null, owner: '' };
}

function distinct(paths: readonly Path[]): readonly Path[] {
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()];
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

function toSource(object: ObjectRef, found: Found): SourceObject {
  const { schema: schemaName = '', table = '', column = [] } = object;
  const schema = found.schemas.get(schemaName);
  if (schema === undefined) return missingObject('schema-missing');
  if (object.level === 'schema') {
    return present(found.external.has(schemaName) ? 'external schema' : 'schema', schema);
  }
  const relation = found.relations.get(keyOf([schemaName, table]));
  if (relation === undefined) return missingObject('object-missing');
  const kind = kindOf(relation);
  if (object.level === 'table') return present(kind, relation);
  const key = keyOf([schemaName, table, ...column]);
  const description = found.columns.get(key);
  return description === undefined ? missingObject('column-missing') : present(kind, { description });
}

/** What the catalog holds besides tables; none of it is a table of OpenMetadata's. */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  external: 'external table',
  S: 'sequence',
  i: 'index',
  c: 'composite type',
  t: 'TOAST table',
};

/** A late-binding view has no columns in the catalog; a materialized view is a view whose definition says so. */
function kindOf({ relkind, relnatts, definition }: RelationRow): string {
  if (relkind === 'r') return 'table';
  if (relkind !== 'v') return OTHER_KINDS[relkind] ?? `relkind ${relkind}`;
  if (/^\s*create\s+materialized\s+view\b/i.test(definition ?? '')) return 'materialized view';
  return relnatts === 0 ? 'late-binding view' : 'view';
}

function present(
  kind: string,
  { description, owner = '' }: { readonly description: string | null; readonly owner?: string },
): SourceObject {
  return {
    exists: true,
    kind,
    ...(description === null || description === '' ? {} : { description }),
    ...(owner === '' ? {} : { owner }),
  };
}

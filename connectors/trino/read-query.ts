import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { trinoDialect } from '../dialect/trino-dialect.ts';

/** What it is, schema, table, column, and the kind of table or the comment. */
export const catalogRow = z.tuple([
  z.enum(['catalog', 'schema', 'table', 'materialized view', 'comment', 'column']),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);

/** The answer by names. All names are in lower case, as Trino has them. */
export interface CatalogRows {
  readonly schemas: ReadonlySet<string>;
  readonly kinds: ReadonlyMap<string, 'table' | 'view' | 'materialized view'>;
  readonly comments: ReadonlyMap<string, string | null>;
  readonly columns: ReadonlyMap<string, string | null>;
}

/** So few tables of a schema are looked up one by one in the system's own tables; for more, the schema is gone through once. */
const TABLES_ONE_BY_ONE = 3;

/** One map key for a name from the schema down. Trino takes names of any case for the same. */
export function rowKey(...names: readonly (string | null | undefined)[]): string {
  return JSON.stringify(names.map((name) => (name ?? '').toLowerCase()));
}

/** One query for all objects of a catalog; undefined: the catalog cannot be named, so there is none of that name. */
export function catalogQuery(catalog: string, objects: readonly ObjectRef[]): string | undefined {
  const [name, text] = [trinoDialect.quoteIdentifier(catalog), trinoDialect.quoteLiteral(catalog.toLowerCase())];
  if (!name.ok || !text.ok) return undefined;
  const information = `${name.value}.information_schema`;
  const named = objects.filter(({ schema }) => literal(schema) !== undefined);
  const tables = named.filter(({ level, table }) => level !== 'schema' && literal(table) !== undefined);
  const columns = tables.filter(({ level, column }) => level === 'column' && literal(column?.[0]) !== undefined);
  const branches = [
    // So that a catalog that does not exist is noticed whatever is asked for.
    `SELECT 'catalog', CAST(NULL AS varchar), CAST(NULL AS varchar), CAST(NULL AS varchar), CAST(NULL AS varchar) FROM ${information}.schemata WHERE schema_name = 'information_schema'`,
  ];
  if (named.length > 0) {
    const schemas = list(named.map(({ schema }) => schema));
    branches.push(
      `SELECT 'schema', schema_name, NULL, NULL, NULL FROM ${information}.schemata WHERE schema_name IN (${schemas})`,
    );
  }
  if (tables.length > 0) {
    const where = `table_schema IN (${list(tables.map(({ schema }) => schema))}) AND table_name IN (${list(tables.map(({ table }) => table))})`;
    branches.push(
      `SELECT 'table', table_schema, table_name, NULL, table_type FROM ${information}.tables WHERE ${where}`,
    );
  }
  for (const [schema, inSchema] of Map.groupBy(tables, (object) => literal(object.schema))) {
    const within = `catalog_name = ${text.value} AND schema_name = ${schema}`;
    for (const which of tableFilters('name', inSchema)) {
      branches.push(
        `SELECT 'materialized view', schema_name, name, NULL, NULL FROM system.metadata.materialized_views WHERE ${within} AND ${which}`,
      );
    }
    const described = inSchema.filter(({ level }) => level === 'table');
    for (const which of tableFilters('table_name', described)) {
      branches.push(
        `SELECT 'comment', schema_name, table_name, NULL, comment FROM system.metadata.table_comments WHERE ${within} AND ${which}`,
      );
    }
  }
  if (columns.length > 0) {
    const where = `table_schema IN (${list(columns.map(({ schema }) => schema))}) AND table_name IN (${list(columns.map(({ table }) => table))}) AND column_name IN (${list(columns.map(({ column }) => column?.[0]))})`;
    branches.push(
      `SELECT 'column', table_schema, table_name, column_name, comment FROM ${information}.columns WHERE ${where}`,
    );
  }
  return branches.join(' UNION ALL ');
}

export function rowsByKey(rows: readonly z.infer<typeof catalogRow>[]): CatalogRows {
  const schemas = new Set<string>();
  const kinds = new Map<string, 'table' | 'view' | 'materialized view'>();
  const comments = new Map<string, string | null>();
  const columns = new Map<string, string | null>();
  for (const [what, schema, table, column, value] of rows) {
    if (what === 'schema') schemas.add(rowKey(schema));
    if (what === 'comment') comments.set(rowKey(schema, table), value);
    if (what === 'column') columns.set(rowKey(schema, table, column), value);
    if (what === 'materialized view') kinds.set(rowKey(schema, table), 'materialized view');
    // Materialized views stand among the base tables too.
    if (what === 'table' && !kinds.has(rowKey(schema, table))) {
      kinds.set(rowKey(schema, table), value === 'VIEW' ? 'view' : 'table');
    }
  }
  return { schemas, kinds, comments, columns };
}

function tableFilters(column: string, objects: readonly ObjectRef[]): readonly string[] {
  const distinct = [...new Set(objects.map(({ table }) => literal(table)))];
  if (distinct.length === 0) return [];
  if (distinct.length > TABLES_ONE_BY_ONE) return [`${column} IN (${distinct.join(', ')})`];
  return distinct.map((table) => `${column} = ${table}`);
}

/** Undefined: what cannot be written as a literal is no name of anything. */
function literal(name: string | undefined): string | undefined {
  const quoted = name === undefined || name === '' ? undefined : trinoDialect.quoteLiteral(name.toLowerCase());
  return quoted?.ok === true ? quoted.value : undefined;
}

function list(names: readonly (string | undefined)[]): string {
  return [...new Set(names.map(literal))].filter((name) => name !== undefined).join(', ');
}

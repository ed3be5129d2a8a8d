import { createHash } from 'node:crypto';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { Prepared } from './prepared.ts';

/** What a query of the catalog tells of one object. There is a row for each object that is asked for. */
export interface CatalogRow {
  /** The object's place in the lists that were asked with, from 1. */
  readonly place: string;
  /** `database`, `schema`, a `relkind`, `NO_SCHEMA`; null: there is no such object in the schema. */
  readonly kind: string | null;
  /** Whether a column is there. */
  readonly has_column?: boolean | null;
  readonly description: string | null;
  readonly owner?: string | null;
}

/** The kind of what would lie in a schema that is not there. */
export const NO_SCHEMA = 'no schema';

/** One statement, and the lists that it takes for the objects asked for. */
export interface CatalogQuery extends Prepared {
  lists(objects: readonly ObjectRef[]): readonly (readonly (string | null)[])[];
}

/*
 * Names are compared as `name` so that the catalog's indexes serve, and as text so that a name above 63 bytes, which the cast cuts,
 * does not find another object. The laterals with their limits keep it to a few index look-ups for each object: by statistics the
 * server would rather read all of pg_class, or all columns and comments of a table for each column of it. Functions are named with
 * their schema here and in all our queries: others may create functions of the same name in schemas of the search path.
 */

const CLASS = `'pg_catalog.pg_class'::pg_catalog.regclass`;

/** The asked names with the oid of their schema. */
function asked(names: readonly string[]): string {
  const lists = names.map((_, index) => `pg_catalog.unnest($${index + 1}::text[])`);
  return `(
  SELECT names.*, n.oid AS schema_oid
  FROM ROWS FROM (${lists.join(', ')}) WITH ORDINALITY AS names (${names.join(', ')}, place)
  LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = names.schema_name::name AND n.nspname::text = names.schema_name
  OFFSET 0
) AS asked`;
}

const IS_ASKED_TABLE = `c.relnamespace = asked.schema_oid AND c.relname = asked.table_name::name AND c.relname::text = asked.table_name`;
const KIND = `CASE WHEN asked.schema_oid IS NULL THEN '${NO_SCHEMA}' ELSE found.relkind END AS kind`;

export const TABLES = query(
  `
SELECT asked.place, ${KIND}, found.description, found.owner
FROM ${asked(['schema_name', 'table_name'])}
LEFT JOIN LATERAL (
  SELECT c.relkind::text AS relkind, d.description, pg_catalog.pg_get_userbyid(c.relowner)::text AS owner
  FROM pg_catalog.pg_class c
  LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.classoid = ${CLASS} AND d.objsubid = 0
  WHERE ${IS_ASKED_TABLE}
  LIMIT 1
) AS found ON true`,
  ({ schema, table }) => [schema, table],
);

export const COLUMNS = query(
  `
SELECT asked.place, ${KIND}, found.attnum > 0 AS has_column, found.description
FROM ${asked(['schema_name', 'table_name', 'column_name'])}
LEFT JOIN LATERAL (
  SELECT c.relkind::text AS relkind, a.attnum, (
    SELECT d.description FROM pg_catalog.pg_description d
    WHERE d.objoid = c.oid AND d.classoid = ${CLASS} AND d.objsubid = a.attnum
  ) AS description
  FROM pg_catalog.pg_class c
  LEFT JOIN LATERAL (
    SELECT a.attnum FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname = asked.column_name::name AND a.attname::text = asked.column_name
      AND NOT a.attisdropped
    LIMIT 1
  ) AS a ON true
  WHERE ${IS_ASKED_TABLE}
  LIMIT 1
) AS found ON true`,
  ({ schema, table, column }) => [schema, table, column?.[0]],
);

/** Schemas, and the connected database where there is no name of a schema. */
export const PLACES = query(
  `
SELECT asked.place,
       CASE WHEN asked.schema_name IS NULL THEN 'database' WHEN n.oid IS NOT NULL THEN 'schema' END AS kind,
       CASE WHEN asked.schema_name IS NULL THEN pg_catalog.shobj_description(d.oid, 'pg_database')
            ELSE pg_catalog.obj_description(n.oid, 'pg_namespace') END AS description,
       pg_catalog.pg_get_userbyid(CASE WHEN asked.schema_name IS NULL THEN d.datdba ELSE n.nspowner END)::text AS owner
FROM pg_catalog.unnest($1::text[]) WITH ORDINALITY AS asked (schema_name, place)
JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database()
LEFT JOIN pg_catalog.pg_namespace n
       ON n.nspname = asked.schema_name::name AND n.nspname::text = asked.schema_name`,
  ({ level, schema }) => [level === 'schema' ? schema : undefined],
);

/** The name tells the text apart from that of another version of ours. */
function query(text: string, namesOf: (object: ObjectRef) => readonly (string | undefined)[]): CatalogQuery {
  const name = `backflow_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return {
    name,
    text,
    lists(objects) {
      const [first] = objects;
      const all = objects.map(namesOf);
      return first === undefined ? [] : namesOf(first).map((_, index) => all.map((names) => names[index] ?? null));
    },
  };
}

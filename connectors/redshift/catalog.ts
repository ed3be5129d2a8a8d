import type { Session } from '../postgres-wire/database-pools.ts';
import { inList, pathsCondition } from './conditions.ts';
import { redshiftErrors } from './errors.ts';

/*
 * Questions to the catalog, each of the plainest SQL: Redshift descends from PostgreSQL 8.0 and has no unnest, no LATERAL and no
 * arrays as parameters. Functions are named with their schema: others may create one of the same name in a schema of the search path.
 * Comments come from pg_description, since the `remarks` of the SVV views end after 256 characters.
 */

interface Described {
  readonly description: string | null;
  readonly owner: string;
}

export interface SchemaRow extends Described {
  readonly schema_name: string;
}

export interface RelationRow extends Described {
  readonly schema_name: string;
  readonly table_name: string;
  readonly relkind: string;
  readonly relnatts: number;
  /** How the definition of a view begins. */
  readonly definition: string | null;
}

export interface ColumnRow {
  readonly schema_name: string;
  readonly table_name: string;
  readonly column_name: string;
  readonly description?: string | null;
}

/** Schema and table, or schema, table and column. */
export type Path = readonly string[];

export async function askDatabase(session: Session): Promise<Described | undefined> {
  const [row] = await rowsOf<Described>(
    session,
    `SELECT pg_catalog.pg_get_userbyid(d.datdba) AS owner, c.description
     FROM pg_catalog.pg_database d
     LEFT JOIN pg_catalog.pg_description c
       ON c.objoid = d.oid AND c.objsubid = 0 AND c.classoid = 'pg_catalog.pg_database'::regclass
     WHERE d.datname = pg_catalog.current_database()`,
  );
  return row;
}

export async function askSchemas(session: Session, names: readonly string[]): Promise<readonly SchemaRow[]> {
  if (names.length === 0) return [];
  return rowsOf(
    session,
    `SELECT n.nspname AS schema_name, pg_catalog.pg_get_userbyid(n.nspowner) AS owner, c.description
     FROM pg_catalog.pg_namespace n
     LEFT JOIN pg_catalog.pg_description c
       ON c.objoid = n.oid AND c.objsubid = 0 AND c.classoid = 'pg_catalog.pg_namespace'::regclass
     WHERE n.nspname ${inList(names)}`,
  );
}

/** Which of the schemas stand for something outside: Glue, Hive, another database, a datashare. */
export async function askExternalSchemas(session: Session, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await rowsOf<{ schemaname: string }>(
    session,
    `SELECT e.schemaname FROM pg_catalog.svv_external_schemas e WHERE e.schemaname ${inList(names)}`,
  );
  return new Set(rows.map(({ schemaname }) => schemaname));
}

export async function askRelations(session: Session, paths: readonly Path[]): Promise<readonly RelationRow[]> {
  if (paths.length === 0) return [];
  return rowsOf(
    session,
    `SELECT n.nspname AS schema_name, r.relname AS table_name, r.relkind, r.relnatts, c.description,
            pg_catalog.pg_get_userbyid(r.relowner) AS owner,
            CASE WHEN r.relkind = 'v' THEN pg_catalog.substr(pg_catalog.pg_get_viewdef(r.oid), 1, 80) END AS definition
     FROM pg_catalog.pg_class r
     JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
     LEFT JOIN pg_catalog.pg_description c
       ON c.objoid = r.oid AND c.objsubid = 0 AND c.classoid = 'pg_catalog.pg_class'::regclass
     WHERE ${pathsCondition(['n.nspname', 'r.relname'], paths)}`,
  );
}

export async function askColumns(session: Session, paths: readonly Path[]): Promise<readonly ColumnRow[]> {
  if (paths.length === 0) return [];
  return rowsOf(
    session,
    `SELECT n.nspname AS schema_name, r.relname AS table_name, a.attname AS column_name, c.description
     FROM pg_catalog.pg_attribute a
     JOIN pg_catalog.pg_class r ON r.oid = a.attrelid
     JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
     LEFT JOIN pg_catalog.pg_description c
       ON c.objoid = r.oid AND c.objsubid = a.attnum AND c.classoid = 'pg_catalog.pg_class'::regclass
     WHERE a.attnum > 0 AND NOT a.attisdropped AND (${pathsCondition(['n.nspname', 'r.relname', 'a.attname'], paths)})`,
  );
}

/** Columns of late-binding views are not in pg_attribute: this function resolves the views to list them. */
export async function askLateBindingColumns(session: Session, paths: readonly Path[]): Promise<readonly ColumnRow[]> {
  if (paths.length === 0) return [];
  return rowsOf(
    session,
    `SELECT c.view_schema AS schema_name, c.view_name AS table_name, c.col_name AS column_name
     FROM pg_catalog.pg_get_late_binding_view_cols()
       c(view_schema name, view_name name, col_name varchar, col_type varchar, col_num int)
     WHERE ${pathsCondition(['c.view_schema', 'c.view_name', 'c.col_name'], paths)}`,
  );
}

/** External tables among these paths; each costs a look into the catalogue outside, so only those of external schemas are asked for. */
export async function askExternalTables(session: Session, paths: readonly Path[]): Promise<readonly ColumnRow[]> {
  if (paths.length === 0) return [];
  return rowsOf(
    session,
    `SELECT t.schemaname AS schema_name, t.tablename AS table_name, '' AS column_name
     FROM pg_catalog.svv_external_tables t WHERE ${pathsCondition(['t.schemaname', 't.tablename'], paths)}`,
  );
}

export async function askExternalColumns(session: Session, paths: readonly Path[]): Promise<readonly ColumnRow[]> {
  if (paths.length === 0) return [];
  return rowsOf(
    session,
    `SELECT c.schemaname AS schema_name, c.tablename AS table_name, c.columnname AS column_name
     FROM pg_catalog.svv_external_columns c
     WHERE ${pathsCondition(['c.schemaname', 'c.tablename', 'c.columnname'], paths)}`,
  );
}

/** `local`, `shared` (from a datashare) or another word of the server's; undefined: not visible to us. */
export async function askDatabaseType(session: Session, name: string): Promise<string | undefined> {
  const [row] = await rowsOf<{ database_type: string }>(
    session,
    `SELECT s.database_type FROM pg_catalog.svv_redshift_databases s WHERE s.database_name ${inList([name])}`,
  );
  return row?.database_type;
}

/** Rows of a query without parameters. Throws `ConnectorError`. */
export async function rowsOf<Row extends object>(session: Session, query: string): Promise<readonly Row[]> {
  try {
    return (await session.query<Row>(query)).rows;
  } catch (error) {
    throw redshiftErrors.connectorErrorOf(error, 'statement');
  }
}

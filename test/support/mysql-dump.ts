import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Dump } from '../../connectors/conformance/harness.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';

const SYSTEM = "('mysql', 'information_schema', 'performance_schema', 'sys')";

/**
 * All definitions of the server as its own catalogue shows them, comments left out. Each query gives a name and, beside it, everything
 * that must not change. Counters that move by themselves (rows, times, next value) are left out too.
 */
const DEFINITIONS: Readonly<Record<string, string>> = {
  schema: `SELECT schema_name AS name, default_character_set_name, default_collation_name, sql_path
    FROM information_schema.schemata WHERE schema_name NOT IN ${SYSTEM}`,
  table: `SELECT CONCAT_WS('\\0', table_schema, table_name) AS name, table_type, engine, version, row_format, table_collation,
    create_options, max_index_length, temporary FROM information_schema.tables WHERE table_schema NOT IN ${SYSTEM}`,
  column: `SELECT CONCAT_WS('\\0', table_schema, table_name, column_name) AS name, ordinal_position, column_default, is_nullable,
    data_type, character_maximum_length, character_octet_length, numeric_precision, numeric_scale, datetime_precision,
    character_set_name, collation_name, column_type, column_key, extra, privileges, is_generated, generation_expression
    FROM information_schema.columns WHERE table_schema NOT IN ${SYSTEM}`,
  index: `SELECT CONCAT_WS('\\0', table_schema, table_name, index_name, seq_in_index) AS name, non_unique, column_name, collation,
    sub_part, nullable, index_type, comment, index_comment FROM information_schema.statistics WHERE table_schema NOT IN ${SYSTEM}`,
  check: `SELECT CONCAT_WS('\\0', constraint_schema, table_name, constraint_name) AS name, level, check_clause
    FROM information_schema.check_constraints WHERE constraint_schema NOT IN ${SYSTEM}`,
  view: `SELECT CONCAT_WS('\\0', table_schema, table_name) AS name, view_definition, definer, security_type
    FROM information_schema.views WHERE table_schema NOT IN ${SYSTEM}`,
  trigger: `SELECT CONCAT_WS('\\0', trigger_schema, trigger_name) AS name, action_statement, definer, sql_mode
    FROM information_schema.triggers WHERE trigger_schema NOT IN ${SYSTEM}`,
  routine: `SELECT CONCAT_WS('\\0', routine_schema, routine_name) AS name, routine_definition, routine_comment
    FROM information_schema.routines WHERE routine_schema NOT IN ${SYSTEM}`,
  account: "SELECT CONCAT_WS('\\0', host, user) AS name, priv FROM mysql.global_priv",
  'privilege on a database': "SELECT CONCAT_WS('\\0', host, db, user) AS name, d.* FROM mysql.db d",
  'privilege on a table':
    "SELECT CONCAT_WS('\\0', host, db, user, table_name) AS name, table_priv, column_priv FROM mysql.tables_priv",
};

/** Columns of views are left out: they show the comments of the columns that they select. */
const COMMENTS: Readonly<Record<string, string>> = {
  schema: `SELECT schema_name AS name, schema_comment AS comment FROM information_schema.schemata WHERE schema_name NOT IN ${SYSTEM}`,
  table: `SELECT CONCAT_WS('\\0', table_schema, table_name) AS name, table_comment AS comment
    FROM information_schema.tables WHERE table_schema NOT IN ${SYSTEM} AND table_type <> 'VIEW'`,
  column: `SELECT CONCAT_WS('\\0', table_schema, table_name, column_name) AS name, column_comment AS comment
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema NOT IN ${SYSTEM} AND table_type <> 'VIEW'`,
};

/** Reads all comments and definitions of the server over a connection of the test's own. */
export async function dumpMysql(admin: Connection): Promise<Dump> {
  const dump = new Map<string, string>();
  for (const [what, sql] of Object.entries(DEFINITIONS)) {
    const [rows] = await admin.query<RowDataPacket[]>(sql);
    for (const { name, ...rest } of rows) dump.set(`definition of ${what} ${name}`, JSON.stringify(rest));
  }
  for (const [what, sql] of Object.entries(COMMENTS)) {
    const [rows] = await admin.query<RowDataPacket[]>(sql);
    for (const { name, comment } of rows) if (comment !== '') dump.set(`${what} ${name}`, String(comment));
  }
  return dump;
}

/** The key of the comment of one object. */
export function mysqlDumpKey({ level, schema, table, column }: ObjectRef): string {
  return `${level} ${[schema, table, column?.[0]].filter((part) => part !== undefined).join('\0')}`;
}

import type { ClickHouseClient } from '@clickhouse/client';
import type { ObjectRef } from '../../src/domain/operation.ts';

/** Comments, and the definitions of objects without them. */
function dumpQuery(prefix: string): string {
  const own = (database: string) =>
    `${database} NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND startsWith(${database}, ${singleQuoted(prefix)})`;
  return [
    `SELECT toJSONString(['schema', name]), comment FROM system.databases WHERE ${own('name')}`,
    `SELECT toJSONString(['database engine', name]), engine_full FROM system.databases WHERE ${own('name')}`,
    `SELECT toJSONString(['table', database, name]), comment FROM system.tables WHERE ${own('database')}`,
    `SELECT toJSONString(['engine', database, name]), toJSONString([engine_full, as_select, toString(uuid), sorting_key])
     FROM system.tables WHERE ${own('database')}`,
    `SELECT toJSONString([t.1, database, table, name]), t.2 FROM system.columns
     ARRAY JOIN [('column', comment), ('definition', toJSONString([type, default_kind, default_expression, toString(position)]))] AS t
     WHERE ${own('database')}`,
  ].join(' UNION ALL ');
}

/** Everything that a write could touch in the databases of this prefix, as an account that may do anything sees it. */
export async function dumpClickhouse(admin: ClickHouseClient, prefix = ''): Promise<Map<string, string>> {
  const dump = new Map<string, string>();
  const result = await admin.query({ query: dumpQuery(prefix), format: 'JSONCompactEachRow' });
  for (const [key, value] of await result.json<[string, string]>()) {
    if (value !== '') dump.set(JSON.stringify(JSON.parse(key)), value);
  }
  return dump;
}

/** The key under which the dump has an object's comment. */
export function clickhouseDumpKey({ level, schema, table, column }: ObjectRef): string {
  const names =
    level === 'column' ? [schema, table, column?.join('.')] : level === 'table' ? [schema, table] : [schema];
  return JSON.stringify([level, ...names]);
}

/** A name as ClickHouse quotes it, not by the code under test. */
export function backquoted(name: string): string {
  return `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;
}

/** A text as ClickHouse quotes it, not by the code under test. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}

import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { SourceObject } from '../contract.ts';
import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import { partsOf } from '../parts.ts';
import type { ClickhouseClient } from './client.ts';
import type { ClickhouseDetail } from './detail.ts';

const row = z.tuple([
  z.enum(['schema', 'table', 'column', 'inner']),
  z.string(), // database
  z.string(), // table
  z.string(), // column
  z.string(), // engine, or the column's type
  z.string(), // comment
  z.string(), // a table's UUID
  z.coerce.number(), // bytes of a table's definition
]);
type Row = z.infer<typeof row>;

/** Objects in one query at the most, and bytes of their names: a query may have 262,144 bytes. */
const MOST = { count: 500, size: 16_000 };

/** The present state of the objects, in the order asked, as the server that is connected to sees it. */
export async function readObjects(
  client: ClickhouseClient,
  objects: readonly ObjectRef[],
): Promise<readonly SourceObject[]> {
  const sources: SourceObject[] = [];
  for (const chunk of partsOf(objects, MOST, nameBytes)) {
    const rows = await rowsOf(client, chunk, (table) => `system.${table}`);
    const found = sortedOut(rows);
    for (const object of chunk) sources.push(sourceOf(object, found, client.cluster));
  }
  return sources;
}

/**
 * The comments of the objects on all replicas of the cluster: for each object, in the order asked, one text for each replica that has it.
 * Needs the right to ask other servers (REMOTE).
 */
export async function readReplicas(
  client: ClickhouseClient,
  cluster: string,
  objects: readonly ObjectRef[],
): Promise<readonly (readonly string[])[]> {
  const name = literal(cluster) ?? "''";
  const found: (readonly string[])[] = [];
  for (const chunk of partsOf(objects, MOST, nameBytes)) {
    const rows = await rowsOf(client, chunk, (table) => `clusterAllReplicas(${name}, system.${table})`);
    const byName = Map.groupBy(rows, ([, schema, table, column]) => keyOf(schema, table, column));
    for (const object of chunk) {
      const key = keyOf(object.schema ?? '', object.table ?? '', columnOf(object) ?? '');
      found.push((byName.get(key) ?? []).map(([, , , , , comment]) => comment));
    }
  }
  return found;
}

function nameBytes({ schema, table, column }: ObjectRef): number {
  return Buffer.byteLength(JSON.stringify([schema, table, column]));
}

async function rowsOf(
  client: ClickhouseClient,
  objects: readonly ObjectRef[],
  from: (table: string) => string,
): Promise<readonly Row[]> {
  const schemas = listOf(objects.map(({ schema }) => literal(schema)));
  const tables = listOf(objects.map(({ schema, table }) => pair(schema, table)));
  const columns = objects.filter(({ level, column }) => level === 'column' && column !== undefined);
  const owners = listOf(columns.map(({ schema, table }) => pair(schema, table)));
  // Beside the column itself: the whole of which it may be a part, and the parts of which it may be the whole.
  const names = listOf(columns.flatMap((object) => [literal(columnOf(object)), literal(object.column?.[0])]));
  const prefixes = listOf(columns.map((object) => literal(`${columnOf(object)}.`)));
  const branches: string[] = [];
  if (schemas !== undefined) {
    branches.push(
      `SELECT 'schema', name, '', '', engine, comment, '', 0 FROM ${from('databases')} WHERE name IN (${schemas})`,
    );
  }
  const tableNames = listOf(objects.map(({ table }) => literal(table)));
  if (schemas !== undefined && tables !== undefined && tableNames !== undefined) {
    // By the pairs alone the server would print the definitions of all tables of the databases before it looks.
    const where = `database IN (${schemas}) AND name IN (${tableNames}) AND (database, name) IN (${tables})`;
    branches.push(
      `SELECT 'table', database, name, '', engine, comment, toString(uuid), length(create_table_query) FROM ${from('tables')} WHERE ${where}`,
    );
  }
  if (owners !== undefined && names !== undefined) {
    const parts = prefixes === undefined ? '' : ` OR arrayExists(p -> startsWith(name, p), [${prefixes}])`;
    branches.push(
      `SELECT 'column', database, table, name, type, comment, '', 0 FROM ${from('columns')} WHERE (database, table) IN (${owners}) AND (name IN (${names})${parts})`,
    );
  }
  const databases = listOf(columns.map(({ schema }) => literal(schema)));
  if (databases !== undefined) {
    // The hidden tables of materialized views that store their rows themselves.
    branches.push(
      `SELECT 'inner', database, name, '', '', '', '', 0 FROM ${from('tables')} WHERE database IN (${databases}) AND startsWith(name, '.inner')`,
    );
  }
  return branches.length === 0 ? [] : client.rows(branches.join(' UNION ALL '), row);
}

/** Undefined: what cannot be written as a literal is no name of anything. */
function literal(name: string | undefined): string | undefined {
  const quoted = name === undefined ? undefined : clickhouseDialect.quoteLiteral(name);
  return quoted?.ok === true ? quoted.value : undefined;
}

function pair(schema: string | undefined, table: string | undefined): string | undefined {
  const [one, other] = [literal(schema), literal(table)];
  return one === undefined || other === undefined ? undefined : `(${one}, ${other})`;
}

function listOf(items: readonly (string | undefined)[]): string | undefined {
  const distinct = new Set(items.filter((item) => item !== undefined));
  return distinct.size === 0 ? undefined : [...distinct].join(', ');
}

/** The name of a column in ClickHouse; a part of a Nested column is one of its own. */
export function columnOf({ level, column }: ObjectRef): string | undefined {
  if (level !== 'column' || column === undefined || column.length === 0) return undefined;
  return column.join('.');
}

function keyOf(schema: string, table: string, column: string): string {
  return JSON.stringify([schema, table, column]);
}

const KINDS: Readonly<Record<string, string>> = {
  View: 'view',
  MaterializedView: 'materialized view',
  LiveView: 'live view',
  WindowView: 'window view',
  Dictionary: 'dictionary',
};

interface Found {
  readonly byName: ReadonlyMap<string, Row>;
  readonly columns: readonly Row[];
  /** Schema and name of the hidden tables of materialized views. */
  readonly inner: ReadonlySet<string>;
}

function sortedOut(rows: readonly Row[]): Found {
  const isInner = ([what]: Row) => what === 'inner';
  return {
    byName: new Map(rows.filter((row) => !isInner(row)).map((row) => [keyOf(row[1], row[2], row[3]), row])),
    columns: rows.filter(([what]) => what === 'column'),
    inner: new Set(rows.filter(isInner).map(([, schema, table]) => keyOf(schema, table, ''))),
  };
}

function sourceOf(object: ObjectRef, { byName, columns, inner }: Found, cluster: string | undefined): SourceObject {
  const { level, schema = '', table = '' } = object;
  if (level === 'database') return { exists: true, kind: 'server' };
  const database = byName.get(keyOf(schema, '', ''));
  const detail: ClickhouseDetail = {
    ...(database === undefined ? {} : { databaseEngine: database[4] }),
    ...(cluster === undefined ? {} : { cluster }),
  };
  const missing = (more: ClickhouseDetail): SourceObject => ({ exists: false, detail: { ...detail, ...more } });
  const found = (kind: string, comment: string, more: ClickhouseDetail = {}): SourceObject => ({
    exists: true,
    kind,
    detail: { ...detail, ...more },
    ...(comment === '' ? {} : { description: comment }),
  });
  if (database === undefined) return missing({ missing: 'schema' });
  if (level === 'schema') return found('database', database[5]);
  const owner = byName.get(keyOf(schema, table, ''));
  if (owner === undefined || table === '') return missing({ missing: 'table' });
  const engine = owner[4];
  const kind = KINDS[engine] ?? 'table';
  const definition = { engine, definitionBytes: owner[7] };
  if (level === 'table') return found(kind, owner[5], definition);
  const name = columnOf(object) ?? '';
  const column = name === '' ? undefined : byName.get(keyOf(schema, table, name));
  if (column !== undefined) {
    const storesItself = [`.inner_id.${owner[6]}`, `.inner.${table}`].some((one) => inner.has(keyOf(schema, one, '')));
    return found(kind, column[5], { ...definition, ...(storesItself ? { storesItself } : {}) });
  }
  const whole = object.column?.[0] ?? '';
  const isPart = (object.column?.length ?? 0) > 1 && byName.has(keyOf(schema, table, whole));
  const hasParts = columns.some(([, s, t, c]) => s === schema && t === table && c.startsWith(`${name}.`));
  return missing({ missing: 'column', ...(isPart ? { nested: 'field' } : hasParts ? { nested: 'parent' } : {}) });
}

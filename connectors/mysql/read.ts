import type { ObjectRef } from '../../src/domain/operation.ts';
import type { SourceObject } from '../contract.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';
import type { MysqlDetail } from './detail.ts';
import { type Row, RowFinder, row, type TableRows } from './row-finder.ts';
import { hasSchemaComments } from './server.ts';
import type { Session } from './session.ts';
import { readShown, showCreateText } from './show-table.ts';

/** Objects asked for in one query. Each is a branch of its own, since MariaDB opens only the tables that a branch names by constants. */
const BRANCHES = 200;

/** The present state of the objects, in the order asked. Columns bring their definitions, one SHOW CREATE TABLE for each table. */
export async function readObjects(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  session.shown.clear();
  const rows: Row[] = [];
  const branches = branchesOfAll(objects, session);
  for (let at = 0; at < branches.length; at += BRANCHES) {
    rows.push(...(await session.rows(branches.slice(at, at + BRANCHES).join(' UNION ALL '), row)));
  }
  const finder = new RowFinder(rows, session.foldsNames);
  const definitions = new Map<TableRows, Definitions>();
  const sources: SourceObject[] = [];
  for (const object of objects) {
    const found = finder.of(object);
    if (object.level === 'column' && found.table !== undefined && kindOf(found.table) === 'table') {
      const known = definitions.get(found) ?? (await readDefinitions(session, object));
      definitions.set(found, known);
      sources.push(sourceOf(object, session, found, known));
    } else sources.push(sourceOf(object, session, found, undefined));
  }
  return sources;
}

/** What has to be asked for the objects, each branch once. The columns of a table, which have the same, mostly come one after the other. */
function branchesOfAll(objects: readonly ObjectRef[], session: Session): readonly string[] {
  const branches = new Set<string>();
  let last: ObjectRef | undefined;
  for (const object of objects) {
    const alike = last?.level === object.level && last.schema === object.schema && last.table === object.table;
    if (!alike) for (const branch of branchesOf(object, session)) branches.add(branch);
    last = object;
  }
  return [...branches];
}

function branchesOf(object: ObjectRef, session: Session): readonly string[] {
  const schema = mysqlDialect.quoteLiteral(object.schema ?? '');
  const table = mysqlDialect.quoteLiteral(object.table ?? '');
  // What cannot be written as a literal is no name of anything.
  if (!schema.ok || !table.ok) return [];
  const place = `WHERE table_schema = ${schema.value} AND table_name = ${table.value}`;
  switch (object.level) {
    case 'database':
      return [];
    case 'schema': {
      const comment = hasSchemaComments(session.server) ? 'schema_comment' : "''";
      return [
        `SELECT 'schema' AS what, schema_name AS s, NULL AS t, NULL AS c, NULL AS kind, ${comment} AS comment FROM information_schema.schemata WHERE schema_name = ${schema.value}`,
      ];
    }
    case 'table':
      return [tableBranch(place)];
    case 'column':
      return [
        tableBranch(place),
        `SELECT 'column' AS what, table_schema AS s, table_name AS t, column_name AS c, NULL AS kind, column_comment AS comment FROM information_schema.columns ${place}`,
      ];
  }
}

function tableBranch(place: string): string {
  return `SELECT 'table' AS what, table_schema AS s, table_name AS t, NULL AS c, table_type AS kind, table_comment AS comment FROM information_schema.tables ${place}`;
}

const KINDS: Readonly<Record<string, string>> = {
  'BASE TABLE': 'table',
  VIEW: 'view',
  'SYSTEM VERSIONED': 'system versioned table',
};

function kindOf({ kind }: Row): string {
  return KINDS[kind ?? ''] ?? (kind ?? 'unknown').toLowerCase();
}

function sourceOf(
  object: ObjectRef,
  session: Session,
  rows: TableRows,
  definitions: Definitions | undefined,
): SourceObject {
  const { server } = session;
  const missing = (what: NonNullable<MysqlDetail['missing']>): SourceObject => {
    return { exists: false, detail: { server, missing: what } satisfies MysqlDetail };
  };
  const found = (kind: string, comment: string | null, detail: MysqlDetail = { server }): SourceObject => {
    const described = comment !== null && comment !== '' && kind !== 'view';
    return { exists: true, kind, detail, ...(described ? { description: comment } : {}) };
  };
  if (object.level === 'database') return found('server', null);
  if (object.level === 'schema') {
    return rows.schema === undefined ? missing('schema') : found('database', rows.schema.comment);
  }
  const { table } = rows;
  if (table === undefined) return missing('table');
  const kind = kindOf(table);
  if (object.level === 'table') return found(kind, table.comment);
  const column = rows.column(object.column);
  if (column === undefined) return missing('column');
  return found(kind, column.comment, definitions?.of(column.c ?? ''));
}

/** The definitions of one table's columns by name. */
interface Definitions {
  of(column: string): MysqlDetail;
}

async function readDefinitions(session: Session, object: ObjectRef): Promise<Definitions> {
  const shown = await showCreateText(session, object);
  const columns = shown.ok ? readShown(session, shown.value) : shown;
  if (!columns.ok) return { of: () => ({ server: session.server, noDefinition: columns.error }) };
  if (shown.ok) session.shown.keep(shown.value.address, columns.value);
  return { of: (column) => columns.value.detail(column) };
}

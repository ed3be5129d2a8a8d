import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { SourceObject } from '../contract.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';
import type { MysqlDetail } from './detail.ts';
import { hasSchemaComments } from './server.ts';
import type { Session } from './session.ts';
import { type CreateTable, parseCreateTable } from './show-create.ts';
import { TableColumns } from './table-columns.ts';

const row = z.object({
  what: z.enum(['schema', 'table', 'column']),
  s: z.string(),
  t: z.string().nullable(),
  c: z.string().nullable(),
  kind: z.string().nullable(),
  comment: z.string().nullable(),
});
type Row = z.infer<typeof row>;

/** Objects asked for in one query. Each is a branch of its own, since MariaDB opens only the tables that a branch names by constants. */
const BRANCHES = 200;

/** The present state of the objects, in the order asked. Columns bring their definitions, one SHOW CREATE TABLE for each table. */
export async function readObjects(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  const rows: Row[] = [];
  const branches = [...new Set(objects.flatMap((object) => branchesOf(object, session)))];
  for (let at = 0; at < branches.length; at += BRANCHES) {
    rows.push(...(await session.rows(branches.slice(at, at + BRANCHES).join(' UNION ALL '), row)));
  }
  const finder = new Finder(rows, session.foldsNames);
  const definitions = new Map<string, Definitions>();
  const sources: SourceObject[] = [];
  for (const object of objects) {
    const table = finder.table(object);
    if (object.level === 'column' && table !== undefined && kindOf(table) === 'table') {
      const key = JSON.stringify([object.schema, object.table]);
      const known = definitions.get(key) ?? (await readDefinitions(session, object));
      definitions.set(key, known);
      sources.push(sourceOf(object, session, finder, known));
    } else sources.push(sourceOf(object, session, finder, undefined));
  }
  return sources;
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

/** Finds rows by exact name: the server compares without regard to case, accents and blanks at the end. */
class Finder {
  readonly #rows = new Map<string, Row>();
  /** Columns regardless of their case. */
  readonly #folded = new Map<string, Row>();
  readonly #folds: boolean;

  constructor(rows: readonly Row[], folds: boolean) {
    this.#folds = folds;
    for (const row of rows) {
      const key = this.#key(row.what, row.s, row.t);
      if (row.what === 'column') {
        this.#add(this.#rows, `${key} ${row.c}`, row);
        this.#add(this.#folded, `${key} ${row.c?.toLowerCase()}`, row);
      } else this.#add(this.#rows, key, row);
    }
  }

  schema({ schema }: ObjectRef): Row | undefined {
    return this.#rows.get(this.#key('schema', schema, null));
  }

  table({ schema, table }: ObjectRef): Row | undefined {
    return this.#rows.get(this.#key('table', schema, table));
  }

  column({ schema, table, column = [] }: ObjectRef): Row | undefined {
    const [name] = column;
    if (column.length !== 1 || name === undefined) return undefined;
    const key = this.#key('column', schema, table);
    return this.#rows.get(`${key} ${name}`) ?? this.#folded.get(`${key} ${name.toLowerCase()}`);
  }

  #key(what: Row['what'], ...names: readonly (string | null | undefined)[]): string {
    const key = JSON.stringify(names.map((name) => name ?? null));
    return `${what} ${this.#folds ? key.toLowerCase() : key}`;
  }

  /** The first one counts. */
  #add(to: Map<string, Row>, key: string, row: Row): void {
    if (!to.has(key)) to.set(key, row);
  }
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
  finder: Finder,
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
    const schema = finder.schema(object);
    return schema === undefined ? missing('schema') : found('database', schema.comment);
  }
  const table = finder.table(object);
  if (table === undefined) return missing('table');
  const kind = kindOf(table);
  if (object.level === 'table') return found(kind, table.comment);
  const column = finder.column(object);
  if (column === null || column === undefined) return missing('column');
  return found(kind, column.comment, { server, ...definitions?.of(column.c ?? '') });
}

/** The definitions of one table's columns by name. */
interface Definitions {
  of(column: string): Pick<MysqlDetail, 'definition' | 'tableCharset' | 'noDefinition'>;
}

async function readDefinitions(session: Session, object: ObjectRef): Promise<Definitions> {
  const create = await showCreateTable(session, object);
  if (typeof create === 'string') return { of: () => ({ noDefinition: create }) };
  const columns = new TableColumns(create);
  return { of: (column) => definitionOf(columns, column) };
}

/** What the plan for one column needs of its table. */
export function definitionOf(columns: TableColumns, column: string): Pick<MysqlDetail, 'definition' | 'tableCharset'> {
  const item = columns.find(column);
  return {
    ...(item === undefined ? {} : { definition: item.definition }),
    ...(columns.charset === undefined ? {} : { tableCharset: columns.charset }),
  };
}

const createRow = z.object({ 'Create Table': z.string() });

/** The parsed SHOW CREATE TABLE, or why there is none. A failure of the whole target is thrown. */
export async function showCreateTable(session: Session, object: ObjectRef): Promise<CreateTable | string> {
  const schema = mysqlDialect.quoteIdentifier(object.schema ?? '');
  const table = mysqlDialect.quoteIdentifier(object.table ?? '');
  if (!schema.ok || !table.ok) return 'its table has no name that can be quoted';
  try {
    const [answer] = await session.rows(`SHOW CREATE TABLE ${schema.value}.${table.value}`, createRow);
    if (answer === undefined) return 'SHOW CREATE TABLE answered nothing';
    const create = parseCreateTable(answer['Create Table']);
    return create.ok ? create.value : `SHOW CREATE TABLE cannot be read (${create.error})`;
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
    return `SHOW CREATE TABLE was refused (${error.code}): ${error.failure.message}`;
  }
}

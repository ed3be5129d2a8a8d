import { TrinoReader } from './trino-syntax.ts';

/** One branch of a query: what it selects, from where, and which values its columns may have. */
export interface TrinoSelect {
  readonly columns: readonly ({ readonly column: string } | { readonly value: string | null })[];
  readonly from: readonly string[];
  readonly where: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The statements that the model of Trino understands. Paths run from the catalog down, in lower case. */
export type TrinoStatement =
  | {
      readonly kind: 'comment';
      readonly on: 'table' | 'view' | 'column';
      readonly path: readonly string[];
      readonly text: string | null;
    }
  | {
      readonly kind: 'authorization';
      readonly on: 'schema' | 'table' | 'view';
      readonly path: readonly string[];
      readonly owner: string;
    }
  | { readonly kind: 'show-create-schema'; readonly path: readonly string[] }
  | { readonly kind: 'query'; readonly selects: readonly TrinoSelect[]; readonly limit: number | undefined }
  | { readonly kind: 'identity' }
  | { readonly kind: 'start-read-only' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'set-session'; readonly property: string; readonly value: string }
  | { readonly kind: 'use'; readonly path: readonly string[] };

export function parseTrino(sql: string): TrinoStatement {
  const reader = new TrinoReader(sql);
  const statement = statementOf(reader);
  reader.end();
  return statement;
}

function statementOf(reader: TrinoReader): TrinoStatement {
  if (reader.skip('COMMENT', 'ON')) return commentOn(reader);
  if (reader.skip('ALTER')) return authorization(reader);
  if (reader.skip('SHOW', 'CREATE', 'SCHEMA')) return { kind: 'show-create-schema', path: reader.path() };
  if (reader.skip('START', 'TRANSACTION', 'READ', 'ONLY')) return { kind: 'start-read-only' };
  if (reader.skip('ROLLBACK')) return { kind: 'rollback' };
  if (reader.skip('USE')) return { kind: 'use', path: reader.path() };
  if (reader.skip('SET', 'SESSION')) {
    const property = reader.path().join('.');
    reader.symbol('=');
    return { kind: 'set-session', property, value: reader.string() };
  }
  reader.keyword('SELECT');
  if (reader.skip('VERSION')) {
    for (const symbol of ['(', ')', ',']) reader.symbol(symbol);
    reader.keyword('CURRENT_USER');
    return { kind: 'identity' };
  }
  return query(reader);
}

function commentOn(reader: TrinoReader): TrinoStatement {
  const on = reader.skip('TABLE') ? 'table' : reader.skip('VIEW') ? 'view' : 'column';
  if (on === 'column') reader.keyword('COLUMN');
  const path = reader.path();
  // A table may be named in part; the connector never does so.
  if (path.length !== (on === 'column' ? 4 : 3)) reader.fail();
  reader.keyword('IS');
  return { kind: 'comment', on, path, text: reader.skip('NULL') ? null : reader.string() };
}

function authorization(reader: TrinoReader): TrinoStatement {
  const on = reader.skip('SCHEMA') ? 'schema' : reader.skip('VIEW') ? 'view' : 'table';
  if (on === 'table') reader.keyword('TABLE');
  const path = reader.path();
  if (path.length !== (on === 'schema' ? 2 : 3)) reader.fail();
  reader.keyword('SET', 'AUTHORIZATION');
  if (reader.skip('ROLE')) return { kind: 'authorization', on, path, owner: `role:${reader.name().toLowerCase()}` };
  reader.skip('USER');
  return { kind: 'authorization', on, path, owner: reader.name() };
}

function query(reader: TrinoReader): TrinoStatement {
  const selects = [select(reader)];
  while (reader.skip('UNION', 'ALL')) {
    reader.keyword('SELECT');
    selects.push(select(reader));
  }
  const limit = reader.skip('LIMIT') ? Number(reader.skipNumber() ?? reader.fail()) : undefined;
  return { kind: 'query', selects, limit };
}

function select(reader: TrinoReader): TrinoSelect {
  const columns: TrinoSelect['columns'][number][] = [];
  do columns.push(expression(reader));
  while (reader.skipSymbol(','));
  reader.keyword('FROM');
  const from = reader.path();
  const where = new Map<string, ReadonlySet<string>>();
  if (reader.skip('WHERE')) {
    do where.set(reader.name(), values(reader));
    while (reader.skip('AND'));
  }
  return { columns, from, where };
}

function expression(reader: TrinoReader): TrinoSelect['columns'][number] {
  const text = reader.skipString();
  if (text !== undefined) return { value: text };
  if (reader.skip('NULL')) return { value: null };
  const number = reader.skipNumber();
  if (number !== undefined) return { value: number };
  if (!reader.skip('CAST')) return { column: reader.name() };
  reader.symbol('(');
  reader.keyword('NULL', 'AS', 'VARCHAR');
  reader.symbol(')');
  return { value: null };
}

function values(reader: TrinoReader): ReadonlySet<string> {
  if (reader.skipSymbol('=')) return new Set([reader.string()]);
  reader.keyword('IN');
  reader.symbol('(');
  const all = new Set<string>();
  do all.add(reader.string());
  while (reader.skipSymbol(','));
  reader.symbol(')');
  return all;
}

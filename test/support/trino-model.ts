import { parseTrino, type TrinoSelect, type TrinoStatement } from './trino-statement.ts';
import { TrinoSyntaxError } from './trino-syntax.ts';

export interface ModelTable {
  readonly kind: 'table' | 'view' | 'materialized view';
  comment: string | null;
  owner: string;
  /** Users that something is granted to. */
  grants: Set<string>;
  readonly columns: Map<string, string | null>;
}

export interface ModelSchema {
  owner: string;
  readonly tables: Map<string, ModelTable>;
}

export interface ModelCatalog {
  readonly connector: 'memory' | 'hive' | 'iceberg' | 'bare';
  readonly schemas: Map<string, ModelSchema>;
  readonly roles: ReadonlySet<string>;
}

/** An error as Trino reports it. */
export class ModelError extends Error {
  readonly errorName: string;
  readonly errorType: string;

  constructor(errorName: string, message: string, errorType = 'USER_ERROR') {
    super(message);
    this.errorName = errorName;
    this.errorType = errorType;
  }
}

/** What a statement answers: rows, and headers for the client's own session state. */
export interface ModelAnswer {
  readonly rows: readonly (readonly unknown[])[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ModelCaller {
  readonly user: string;
  readonly readOnly: boolean;
}

const NONE: ModelAnswer = { rows: [] };

/**
 * A model of Trino 476: catalogs with what their connectors support, and the answers that a real server gave to each kind of mistake.
 * Names are in lower case throughout, as the engine has them.
 */
export class TrinoModel {
  readonly catalogs = new Map<string, ModelCatalog>();
  /** Paths (`catalog.schema.table`) whose comments and owners nobody but `admin` may set. */
  readonly denied = new Set<string>();
  /** What a system behind a catalog makes of a text. */
  stored: (text: string) => string | null = (text) => text;

  addTable(path: readonly string[], columns: readonly string[], kind: ModelTable['kind'] = 'table'): ModelTable {
    const [catalog = '', schema = '', table = ''] = path.map((name) => name.toLowerCase());
    const place = this.catalogs.get(catalog) ?? { connector: 'memory', schemas: new Map(), roles: new Set() };
    this.catalogs.set(catalog, place);
    const within = place.schemas.get(schema) ?? { owner: 'admin', tables: new Map() };
    place.schemas.set(schema, within);
    const made: ModelTable = {
      kind,
      comment: null,
      owner: 'admin',
      grants: new Set(),
      columns: new Map(columns.map((column) => [column.toLowerCase(), null])),
    };
    within.tables.set(table, made);
    return made;
  }

  table(path: readonly string[]): ModelTable | undefined {
    const [catalog = '', schema = '', table = ''] = path.map((name) => name.toLowerCase());
    return this.catalogs.get(catalog)?.schemas.get(schema)?.tables.get(table);
  }

  run(sql: string, caller: ModelCaller): ModelAnswer {
    let statement: TrinoStatement;
    try {
      statement = parseTrino(sql);
    } catch (error) {
      if (error instanceof TrinoSyntaxError) throw new ModelError('SYNTAX_ERROR', error.message);
      throw error;
    }
    switch (statement.kind) {
      case 'identity':
        return { rows: [['476', caller.user]] };
      case 'start-read-only':
        return { rows: [], headers: { 'X-Trino-Started-Transaction-Id': 'tx-1' } };
      case 'rollback':
        return { rows: [], headers: { 'X-Trino-Clear-Transaction-Id': 'true' } };
      case 'set-session':
        return {
          rows: [],
          headers: { 'X-Trino-Set-Session': `${statement.property}=${encodeURIComponent(statement.value)}` },
        };
      case 'use':
        return {
          rows: [],
          headers: { 'X-Trino-Set-Catalog': statement.path[0] ?? '', 'X-Trino-Set-Schema': statement.path[1] ?? '' },
        };
      case 'comment':
        return this.#comment(statement, caller);
      case 'authorization':
        return this.#authorization(statement, caller);
      case 'show-create-schema':
        return this.#showCreateSchema(statement.path);
      case 'query': {
        const rows = statement.selects.flatMap((select) => this.#select(select));
        return { rows: rows.slice(0, statement.limit) };
      }
    }
  }

  #comment(statement: Extract<TrinoStatement, { kind: 'comment' }>, caller: ModelCaller): ModelAnswer {
    const { on, path, text } = statement;
    const table = this.table(path);
    const name = path.slice(0, 3).join('.');
    if (table === undefined) throw new ModelError('TABLE_NOT_FOUND', `line 1:1: Table does not exist: ${name}`);
    if (on !== 'column' && table.kind !== on) {
      throw new ModelError(
        'TABLE_NOT_FOUND',
        `line 1:1: '${name}' does not exist, but a ${table.kind} with that name exists.`,
      );
    }
    const column = path[3] ?? '';
    if (on === 'column' && !table.columns.has(column)) {
      throw new ModelError('COLUMN_NOT_FOUND', `line 1:1: Column does not exist: ${column}`);
    }
    this.#mayWrite(name, caller, `Cannot comment ${on} to ${name}`);
    const connector = this.catalogs.get(path[0] ?? '')?.connector;
    if (connector === 'bare')
      throw new ModelError('NOT_SUPPORTED', `This connector does not support setting ${on} comments`);
    const stored = text === null ? null : this.stored(text);
    if (on === 'column') table.columns.set(column, stored);
    else table.comment = stored;
    // The connector makes a view anew, with the initial grants of whoever does it.
    if (connector === 'hive' && table.kind === 'view' && table.grants.size > 0) table.grants = new Set([caller.user]);
    return NONE;
  }

  #authorization(statement: Extract<TrinoStatement, { kind: 'authorization' }>, caller: ModelCaller): ModelAnswer {
    const { on, path, owner } = statement;
    const [catalogName = '', schemaName = ''] = path;
    const catalog = this.catalogs.get(catalogName);
    const schema = catalog?.schemas.get(schemaName);
    const object = on === 'schema' ? schema : this.table(path);
    const name = path.join('.');
    if (catalog === undefined || schema === undefined || object === undefined) {
      const code = on === 'schema' ? 'SCHEMA_NOT_FOUND' : 'TABLE_NOT_FOUND';
      throw new ModelError(code, `line 1:1: ${on} '${name}' does not exist`);
    }
    if (owner.startsWith('role:') && !catalog.roles.has(owner.slice(5))) {
      throw new ModelError('ROLE_NOT_FOUND', `line 1:1: Role '${owner.slice(5)}' does not exist`);
    }
    if (catalog.connector === 'memory' || catalog.connector === 'bare') {
      throw new ModelError('NOT_SUPPORTED', `Catalog does not support permission management: ${catalogName}`);
    }
    this.#mayWrite(name, caller, `Cannot set authorization for ${on} ${name}`);
    if (on !== 'schema' && catalog.connector === 'iceberg') {
      throw new ModelError('NOT_SUPPORTED', 'This connector does not support setting an owner on a table');
    }
    if (on !== 'schema' && owner.startsWith('role:')) {
      throw new ModelError('NOT_SUPPORTED', 'Setting table owner type as a role is not supported');
    }
    object.owner = owner;
    return NONE;
  }

  /** Access control comes before the transaction is looked at, and both before the connector. */
  #mayWrite(name: string, { user, readOnly }: ModelCaller, message: string): void {
    if (this.denied.has(name) && user !== 'admin')
      throw new ModelError('PERMISSION_DENIED', `Access Denied: ${message}`);
    if (readOnly) throw new ModelError('READ_ONLY_VIOLATION', 'Cannot execute write in a read-only transaction');
  }

  #showCreateSchema(path: readonly string[]): ModelAnswer {
    const catalog = this.catalogs.get(path[0] ?? '');
    const schema = catalog?.schemas.get(path[1] ?? '');
    if (schema === undefined) throw new ModelError('SCHEMA_NOT_FOUND', `Schema '${path.join('.')}' does not exist`);
    const [kind, name] = schema.owner.startsWith('role:') ? ['ROLE', schema.owner.slice(5)] : ['USER', schema.owner];
    const shown = /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
    const owner = catalog?.connector === 'memory' ? '' : `\nAUTHORIZATION ${kind} ${shown}`;
    return { rows: [[`CREATE SCHEMA ${path.join('.')}${owner}`]] };
  }

  #select({ columns, from, where }: TrinoSelect): readonly (readonly unknown[])[] {
    return [...this.#rowsOf(from)]
      .filter((row) => [...where].every(([column, values]) => values.has(row[column] ?? '')))
      .map((row) => columns.map((one) => ('value' in one ? one.value : (row[one.column] ?? null))));
  }

  *#rowsOf(from: readonly string[]): Iterable<Readonly<Record<string, string | null>>> {
    const [catalogName = '', place, name] = from;
    if (catalogName === 'system') {
      for (const [catalog, { connector, schemas }] of this.catalogs) {
        if (name === 'catalogs') yield { catalog_name: catalog, connector_name: connector };
        for (const [schema, { tables }] of schemas) {
          for (const [table, { kind, comment }] of tables) {
            if (name === 'table_comments')
              yield { catalog_name: catalog, schema_name: schema, table_name: table, comment };
            if (name === 'materialized_views' && kind === name.slice(0, -1).replace('_', ' ')) {
              yield { catalog_name: catalog, schema_name: schema, name: table };
            }
          }
        }
      }
      return;
    }
    const catalog = this.catalogs.get(catalogName);
    if (catalog === undefined)
      throw new ModelError('CATALOG_NOT_FOUND', `line 1:15: Catalog '${catalogName}' not found`);
    if (place !== 'information_schema')
      throw new ModelError('TABLE_NOT_FOUND', `Table does not exist: ${from.join('.')}`);
    if (name === 'schemata') yield { schema_name: 'information_schema' };
    for (const [schema, { tables }] of catalog.schemas) {
      if (name === 'schemata') yield { schema_name: schema };
      for (const [table, { kind, columns, grants }] of tables) {
        const address = { table_schema: schema, table_name: table };
        if (name === 'tables') yield { ...address, table_type: kind === 'view' ? 'VIEW' : 'BASE TABLE' };
        if (name === 'table_privileges') for (const grantee of grants) yield { ...address, grantee };
        if (name === 'columns')
          for (const [column, comment] of columns) yield { ...address, column_name: column, comment };
      }
    }
  }
}

import { ServerFault } from './mssql-fault.ts';
import type { LockTable } from './mssql-locks.ts';
import { CLASS, type ClassificationRow, type DatabaseModel, fold, type ObjectRow } from './mssql-model.ts';
import { type Arguments, callProperty, checkArguments, propertyTarget } from './mssql-properties.ts';
import type { Rights } from './mssql-rights.ts';
import { type Answer, evaluate, runSelect, type Scope } from './mssql-select.ts';
import type { Call, Statement } from './mssql-syntax.ts';
import type { Value } from './mssql-tokens.ts';
import type { Viewer } from './mssql-views.ts';

/** A session's side of running statements. */
export interface Execution {
  readonly viewer: Viewer;
  readonly locks: LockTable;
  /** Owner of locks. */
  readonly holder: object;
  readonly settings: Map<string, string>;
  readonly signal: AbortSignal;
  /** How to take back what the open transaction did, in order. */
  readonly undo: (() => void)[];
  kill(session: number): void;
}

const PROCEDURES: ReadonlySet<string> = new Set([
  'sys.sp_addextendedproperty',
  'sys.sp_updateextendedproperty',
  'sys.sp_dropextendedproperty',
]);

/** Whether a statement writes metadata, which is what the journal is about. */
export function isWrite(statement: Statement): boolean {
  return !['select', 'set', 'kill'].includes(statement.kind);
}

/** Runs one statement; `maxVariables` are those that were declared as nvarchar(max). */
export async function execute(
  statement: Statement,
  variables: ReadonlyMap<string, Value>,
  maxVariables: ReadonlySet<string>,
  execution: Execution,
): Promise<Answer | undefined> {
  const { viewer } = execution;
  const scope: Scope = { variables, call: (name, args) => callFunction(name, args, viewer) };
  if (isWrite(statement) && viewer.database.readOnly) {
    throw new ServerFault(
      3906,
      `Failed to update database "${viewer.database.name}" because the database is read-only.`,
    );
  }
  switch (statement.kind) {
    case 'select': {
      const session = new Map<string, Value>([...variables, ['@@spid', viewer.session.id]]);
      return runSelect(statement, { ...scope, variables: session }, viewer);
    }
    case 'set':
      execution.settings.set(statement.setting, statement.value);
      return undefined;
    case 'kill':
      if (viewer.server.logins.get(viewer.session.login)?.rights.has('ALTER ANY CONNECTION') !== true) {
        throw new ServerFault(6102, 'User does not have permission to use the KILL statement.');
      }
      execution.kill(statement.session);
      return undefined;
    case 'call':
      await callProcedure(statement, scope, maxVariables, execution);
      return undefined;
    case 'authorization':
      await authorize(statement, execution);
      return undefined;
    case 'classify':
      await classify(statement.column, statement.options, execution);
      return undefined;
    case 'declassify':
      await classify(statement.column, undefined, execution);
      return undefined;
  }
}

async function callProcedure(
  call: Call,
  scope: Scope,
  maxVariables: ReadonlySet<string>,
  execution: Execution,
): Promise<void> {
  const { database, rights } = execution.viewer;
  if (!PROCEDURES.has(call.procedure))
    throw new ServerFault(2812, `Could not find stored procedure '${call.procedure}'.`);
  checkArguments(
    call.procedure,
    call.args.map(({ name }) => name.slice(1)),
  );
  const args = new Map<string, string>();
  for (const { name, value } of call.args) {
    if (value.kind === 'variable' && maxVariables.has(value.name)) {
      throw new ServerFault(206, 'Operand type clash: nvarchar(max) is incompatible with sql_variant');
    }
    const given = evaluate(value, scope);
    if (given !== null) args.set(name.slice(1), String(given));
  }
  const settled: Arguments = args;
  const { majorId, class: targetClass } = propertyTarget(database, rights, settled);
  await lock(execution, `${targetClass} ${majorId}`);
  // Looked up again: it may have gone while we waited.
  const target = propertyTarget(database, rights, settled);
  execution.undo.push(callProperty(call.procedure, database, target, settled));
}

async function authorize(
  statement: Extract<Statement, { kind: 'authorization' }>,
  execution: Execution,
): Promise<void> {
  const { database, rights, server, session } = execution.viewer;
  const [name = '', table = ''] = statement.names;
  if (statement.on === 'database') {
    const target = server.find(name);
    const login = server.logins.get(statement.owner ?? '');
    if (target !== database || !rights.can('TAKE OWNERSHIP', { kind: 'database' })) throw cannotFind('database', name);
    const mayGive = session.login === 'sa' || login?.name === session.login || login?.impersonators.has(session.login);
    if (login === undefined || mayGive !== true) throw cannotFind('principal', statement.owner ?? '');
    if (database.principals.some((row) => row.login === login.name)) {
      throw new ServerFault(15110, 'The proposed new database owner is already a user or aliased in the database.');
    }
    const former = database.owner;
    database.owner = login.name;
    execution.undo.push(() => {
      database.owner = former;
    });
    return;
  }
  const schema = database.findSchema(name);
  const object = schema === undefined || statement.on === 'schema' ? undefined : database.findObject(schema.id, table);
  const target = statement.on === 'schema' ? schema : object;
  if (schema === undefined || target === undefined) throw cannotFind(statement.on, statement.names.join('.'));
  const securable =
    object === undefined ? ({ kind: 'schema', schema } as const) : ({ kind: 'object', object } as const);
  if (!rights.can('TAKE OWNERSHIP', securable)) throw cannotFind(statement.on, statement.names.join('.'));
  const principal = statement.owner === undefined ? undefined : database.findPrincipal(statement.owner);
  if (statement.owner === undefined ? object === undefined : principal === undefined || !rights.mayGiveTo(principal)) {
    throw cannotFind('principal', statement.owner ?? 'SCHEMA OWNER');
  }
  const [targetClass, id] = object === undefined ? [CLASS.schema, schema.id] : [CLASS.object, object.id];
  await lock(execution, `${targetClass} ${id}`);
  const [former, permissions] = [target.ownerId, database.permissions];
  database.version += 1;
  if (object !== undefined) object.ownerId = principal?.id ?? null;
  else if (principal !== undefined) schema.ownerId = principal.id;
  // A new owner starts without what was granted on the object.
  database.permissions = permissions.filter((row) => row.class !== targetClass || row.majorId !== id);
  execution.undo.push(() => {
    database.version += 1;
    if (object !== undefined) object.ownerId = former;
    else if (former !== null) schema.ownerId = former;
    database.permissions = permissions;
  });
}

async function classify(
  path: readonly string[],
  options: ReadonlyMap<string, string> | undefined,
  execution: Execution,
): Promise<void> {
  const { database, rights, hasClassifications } = execution.viewer;
  if (!hasClassifications) throw new ServerFault(102, "Incorrect syntax near 'SENSITIVITY'.");
  const [schemaName = '', table = '', columnName = ''] = path;
  const schema = database.findSchema(schemaName);
  const object: ObjectRow | undefined = schema === undefined ? undefined : database.findObject(schema.id, table);
  const column = object?.columns.find((one) => fold(one.name) === fold(columnName));
  if (object === undefined || column === undefined)
    throw new ServerFault(4902, `Cannot find the object "${path.join('.')}".`);
  if (!rights.can('ALTER ANY SENSITIVITY CLASSIFICATION', { kind: 'database' })) {
    throw new ServerFault(300, 'ALTER ANY SENSITIVITY CLASSIFICATION permission was denied.');
  }
  await lock(execution, `${CLASS.object} ${object.id}`);
  const key = `${object.id} ${column.id}`;
  const former = database.classifications.get(key);
  if (options === undefined) database.classifications.delete(key);
  else database.classifications.set(key, rowOf(options));
  execution.undo.push(() => {
    if (former === undefined) database.classifications.delete(key);
    else database.classifications.set(key, former);
  });
}

function rowOf(options: ReadonlyMap<string, string>): ClassificationRow {
  return {
    label: options.get('label'),
    labelId: options.get('label_id'),
    informationType: options.get('information_type'),
    informationTypeId: options.get('information_type_id'),
    rank: options.get('rank')?.toUpperCase(),
  };
}

function lock({ locks, holder, settings, signal }: Execution, key: string): Promise<void> {
  return locks.acquire(key, holder, Number(settings.get('lock_timeout') ?? -1), signal);
}

function cannotFind(what: string, name: string): ServerFault {
  return new ServerFault(
    15151,
    `Cannot find the ${what} '${name}', because it does not exist or you do not have permission.`,
  );
}

function callFunction(name: string, args: readonly Value[], viewer: Viewer): Value {
  const { database, rights, server, session } = viewer;
  const [first = null, second = null, third = null] = args;
  switch (name) {
    case 'db_name':
      return database.name;
    case 'suser_sname':
      return args.length === 0 ? session.login : first;
    case 'user_name':
      return args.length === 0
        ? (rights.user?.name ?? null)
        : first === null
          ? null
          : database.principalName(Number(first));
    case 'quotename':
      return first === null ? null : `[${String(first).replaceAll(']', ']]')}]`;
    case 'has_dbaccess': {
      const other = server.find(String(first));
      return other === undefined ? null : accessTo(other, viewer);
    }
    case 'serverproperty':
      return String(first).toLowerCase() === 'edition' ? 'Peer Edition' : '16.0.4135.4';
    case 'databasepropertyex':
      return database.readOnly ? 'READ_ONLY' : 'READ_WRITE';
    case 'has_perms_by_name':
      return hasPermission(first, second, String(third), database, rights, viewer) ? 1 : 0;
    default:
      throw new ServerFault(195, `'${name}' is not a recognized built-in function name.`);
  }
}

function accessTo(other: DatabaseModel, { session, server }: Viewer): number {
  if (session.login === 'sa' || other.owner === session.login) return 1;
  return server.databases.includes(other) && other.principals.some(({ login }) => login === session.login) ? 1 : 0;
}

/** The name is an identifier as it stands in statements: `[app].[orders]`. */
function hasPermission(
  name: Value,
  kind: Value,
  permission: string,
  database: DatabaseModel,
  rights: Rights,
  viewer: Viewer,
): boolean {
  if (kind === null) return viewer.server.logins.get(viewer.session.login)?.rights.has(permission) === true;
  if (kind === 'DATABASE') return rights.can(permission, { kind: 'database' });
  const parts = [...String(name).matchAll(/\[((?:[^\]]|\]\])*)\]/g)].map(([, part = '']) => part.replaceAll(']]', ']'));
  const schema = database.findSchema(parts[0] ?? '');
  if (schema === undefined) return false;
  if (kind === 'SCHEMA') return rights.can(permission, { kind: 'schema', schema });
  const object = database.findObject(schema.id, parts[1] ?? '');
  return object !== undefined && rights.can(permission, { kind: 'object', object });
}

import { ServerFault } from './mssql-fault.ts';
import type { DatabaseModel, ServerModel } from './mssql-model.ts';
import type { Rights } from './mssql-rights.ts';
import type { Value } from './mssql-tokens.ts';

export type ViewRow = Readonly<Record<string, Value>>;

/** A session as `sys.dm_exec_sessions` shows it. */
export interface SessionInfo {
  readonly id: number;
  readonly login: string;
  readonly program: string;
}

/** Whose eyes look at the catalog. */
export interface Viewer {
  readonly server: ServerModel;
  readonly database: DatabaseModel;
  readonly rights: Rights;
  readonly session: SessionInfo;
  readonly sessions: readonly SessionInfo[];
  /** Azure SQL and versions from 2019 on. */
  readonly hasClassifications: boolean;
}

const CACHED: ReadonlySet<string> = new Set(['sys.objects', 'sys.columns']);
const cache = new WeakMap<DatabaseModel, { version: number; readonly views: Map<string, readonly ViewRow[]> }>();

/** The rows of a catalog view that the viewer may see, with the columns that are asked for here and there. */
export function viewRows(name: string, viewer: Viewer): readonly ViewRow[] {
  const { database, rights } = viewer;
  if (!CACHED.has(name) || !rights.isOwner) return makeRows(name, viewer);
  const known = cache.get(database);
  const views = known?.version === database.version ? known.views : new Map<string, readonly ViewRow[]>();
  cache.set(database, { version: database.version, views });
  const rows = views.get(name) ?? makeRows(name, viewer);
  views.set(name, rows);
  return rows;
}

function makeRows(name: string, viewer: Viewer): readonly ViewRow[] {
  const { database, rights, server } = viewer;
  const objects = database.objects.filter((object) => rights.sees(object));
  const visible = new Set(objects.map(({ id }) => id));
  switch (name) {
    case 'sys.schemas':
      return database.schemas.map((row) => ({ schema_id: row.id, name: row.name, principal_id: row.ownerId }));
    case 'sys.objects':
      return objects.map((row) => ({
        object_id: row.id,
        schema_id: row.schemaId,
        name: row.name,
        // char(2)
        type: row.type.padEnd(2),
        principal_id: row.ownerId,
      }));
    case 'sys.columns':
      return objects.flatMap((row) =>
        row.columns.map((column) => ({ object_id: row.id, column_id: column.id, name: column.name })),
      );
    case 'sys.extended_properties':
      return [...database.properties.values()]
        .filter((row) => row.class !== 1 || visible.has(row.majorId))
        .map((row) => ({
          class: row.class,
          major_id: row.majorId,
          minor_id: row.minorId,
          name: row.name,
          value: row.value,
        }));
    case 'sys.database_permissions':
      return database.permissions
        .filter((row) => row.class !== 1 || visible.has(row.majorId))
        .map((row) => ({ class: row.class, major_id: row.majorId, permission_name: row.permission }));
    case 'sys.database_principals':
      return database.principals.map((row) => ({ principal_id: row.id, name: row.name }));
    case 'sys.databases':
      return server.databases.map((row) => ({ database_id: row.id, name: row.name, owner_sid: row.owner }));
    case 'sys.sensitivity_classifications':
      if (!viewer.hasClassifications) break;
      return [...database.classifications].map(([key, row]) => {
        const [major, minor] = key.split(' ').map(Number);
        return {
          major_id: major ?? 0,
          minor_id: minor ?? 0,
          label: row.label ?? null,
          label_id: row.labelId ?? null,
          information_type: row.informationType ?? null,
          information_type_id: row.informationTypeId ?? null,
          rank_desc: row.rank ?? null,
        };
      });
    case 'sys.dm_exec_sessions':
      return viewer.sessions
        .filter(({ id }) => id === viewer.session.id || mayWatch(viewer))
        .map(({ id, program }) => ({ session_id: id, program_name: program }));
    default:
  }
  throw new ServerFault(208, `Invalid object name '${name}'.`);
}

function mayWatch({ server, session }: Viewer): boolean {
  return server.logins.get(session.login)?.rights.has('VIEW SERVER STATE') === true;
}

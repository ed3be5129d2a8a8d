import { OracleFault } from './oracle-fault.ts';
import type { OracleModel, OracleObject } from './oracle-model.ts';
import type { Condition, SelectBranch, SelectValue } from './oracle-syntax.ts';

type Cell = string | number | null;
type Row = ReadonlyMap<string, Cell>;

/** A session as `gv$session` shows it. */
export interface SessionRow {
  readonly sid: number;
  readonly serial: number;
  readonly user: string;
  readonly program: string;
}

interface View {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Answers the SELECTs of one user over the dictionary, with the engine's rules for NULL, names of columns and lists. */
export class OracleDictionary {
  readonly #model: OracleModel;
  readonly #sessions: () => readonly SessionRow[];

  constructor(model: OracleModel, sessions: () => readonly SessionRow[]) {
    this.#model = model;
    this.#sessions = sessions;
  }

  /** Rows keyed by the aliases of the first branch, as the driver gives them. */
  select(user: string, branches: readonly SelectBranch[], binds: Readonly<Record<string, string>>): readonly object[] {
    const aliases = branches[0]?.items.map(({ value, alias }) => alias ?? (value.kind === 'column' ? value.text : ''));
    return branches.flatMap((branch) => {
      const view = this.#view(user, branch.from);
      const conditions = branch.where.map((condition) => this.#prepared(condition, binds));
      return view.rows
        .map((cells): Row => new Map(view.columns.map((column, i) => [column, cells[i] ?? null])))
        .filter((row) => conditions.every((holds) => holds(row)))
        .map((row) =>
          Object.fromEntries(branch.items.map(({ value }, i) => [aliases?.[i] ?? '', this.#cell(value, row, binds)])),
        );
    });
  }

  #cell(value: SelectValue, row: Row, binds: Readonly<Record<string, string>>): Cell {
    switch (value.kind) {
      case 'null':
        return null;
      case 'literal':
        return value.text === '' ? null : value.text;
      case 'bind': {
        const bound = binds[value.text];
        if (bound === undefined) throw new OracleFault(1008, 'not all variables bound');
        return bound === '' ? null : bound;
      }
      case 'call':
        if (value.name !== 'SYS_CONTEXT' || value.values.join() !== 'USERENV,DATABASE_ROLE') {
          throw new OracleFault(904, `"${value.name}": invalid identifier`);
        }
        return this.#model.role;
      case 'column': {
        const cell = row.get(value.text);
        if (cell === undefined) throw new OracleFault(904, `"${value.text}": invalid identifier`);
        return cell;
      }
    }
  }

  #prepared(condition: Condition, binds: Readonly<Record<string, string>>): (row: Row) => boolean {
    if (condition.kind === 'is null') return (row) => this.#cell(condition.left, row, binds) === null;
    if (condition.kind === 'in') {
      // Lists hold no columns here, so that they are the same for every row. NULL is in no list.
      const none: Row = new Map();
      const list = new Set(
        condition.rows.flatMap((values) => tupleOf(values.map((value) => this.#cell(value, none, binds))) ?? []),
      );
      return (row) => list.has(tupleOf(condition.left.map((value) => this.#cell(value, row, binds))) ?? '');
    }
    const { left: leftValue, right: rightValue, operator } = condition;
    return (row) => {
      const [left, right] = [this.#cell(leftValue, row, binds), this.#cell(rightValue, row, binds)];
      if (left === null || right === null) return false;
      if (operator === 'LIKE') return likePattern(String(right)).test(String(left));
      return (String(left) === String(right)) === (operator === '=');
    };
  }

  #view(user: string, name: string): View {
    const model = this.#model;
    const catalogRole = model.has(user, 'SELECT_CATALOG_ROLE');
    const dba = name.startsWith('DBA_');
    const missing = new OracleFault(942, 'table or view does not exist');
    if ((dba || name.startsWith('GV$')) && !catalogRole) throw missing;
    const seen = model.objects().filter((object) => dba || model.sees(user, object));
    switch (name.replace(/^DBA_/, 'ALL_')) {
      case 'DUAL':
        return { columns: ['DUMMY'], rows: [['X']] };
      case 'USER_USERS':
        return { columns: ['USERNAME'], rows: [[user]] };
      case 'ALL_USERS':
        return { columns: ['USERNAME', 'USER_ID'], rows: [...model.users.keys()].map((one, i) => [one, i]) };
      case 'NLS_DATABASE_PARAMETERS':
        return {
          columns: ['PARAMETER', 'VALUE'],
          rows: [
            ['NLS_CHARACTERSET', model.charset],
            ['NLS_NCHAR_CHARACTERSET', 'AL16UTF16'],
          ],
        };
      case 'ALL_VIEWS':
        return {
          columns: ['OWNER', 'VIEW_NAME'],
          rows: viewNames(catalogRole, model.hasAnnotations).map((one) => ['SYS', one]),
        };
      case 'SESSION_PRIVS':
        return { columns: ['PRIVILEGE'], rows: [...(model.users.get(user)?.rights ?? [])].map((one) => [one]) };
      case 'ALL_TAB_PRIVS_RECD':
        return {
          columns: ['GRANTEE', 'OWNER', 'TABLE_NAME', 'PRIVILEGE'],
          rows: model.objects().flatMap(({ schema, name: table, grants }) =>
            [...grants].flatMap((grant) => {
              const [grantee = '', privilege = ''] = grant.split(' ');
              return grantee === user ? [[grantee, schema, table, privilege]] : [];
            }),
          ),
        };
      case 'GV$SESSION':
        return {
          columns: ['INST_ID', 'SID', 'SERIAL#', 'USERNAME', 'PROGRAM'],
          rows: this.#sessions().map((one) => [1, one.sid, one.serial, one.user, one.program]),
        };
      case 'ALL_TAB_COMMENTS':
        return {
          columns: ['OWNER', 'TABLE_NAME', 'TABLE_TYPE', 'COMMENTS'],
          rows: seen.map((one) => [
            one.schema,
            one.name,
            one.kind === 'VIEW' ? 'VIEW' : 'TABLE',
            one.kind === 'MATERIALIZED VIEW' ? null : (one.comment ?? null),
          ]),
        };
      case 'ALL_MVIEW_COMMENTS':
        return {
          columns: ['OWNER', 'MVIEW_NAME', 'COMMENTS'],
          rows: ofKind(seen, 'MATERIALIZED VIEW').map((one) => [one.schema, one.name, one.comment ?? null]),
        };
      case 'ALL_EXTERNAL_TABLES':
        return {
          columns: ['OWNER', 'TABLE_NAME'],
          rows: ofKind(seen, 'EXTERNAL TABLE').map((one) => [one.schema, one.name]),
        };
      case 'ALL_COL_COMMENTS':
        return {
          columns: ['OWNER', 'TABLE_NAME', 'COLUMN_NAME', 'COMMENTS'],
          rows: seen.flatMap((one) =>
            [...one.columns].map(([column, { comment }]) => [one.schema, one.name, column, comment ?? null]),
          ),
        };
      case 'ALL_ANNOTATIONS_USAGE':
        if (!model.hasAnnotations) throw missing;
        return annotations(seen);
      default:
        throw missing;
    }
  }
}

function annotations(seen: readonly OracleObject[]): View {
  const rows = seen.flatMap((one) => {
    const parts = [[null, one] as const, ...one.columns];
    return parts.flatMap(([column, part]) =>
      [...part.annotations].map(([name, value]): readonly Cell[] => [
        one.schema,
        one.name,
        one.kind === 'VIEW' ? 'VIEW' : 'TABLE',
        column,
        null,
        name,
        value ?? null,
      ]),
    );
  });
  const columns = [
    'ANNOTATION_OWNER',
    'OBJECT_NAME',
    'OBJECT_TYPE',
    'COLUMN_NAME',
    'DOMAIN_NAME',
    'ANNOTATION_NAME',
    'ANNOTATION_VALUE',
  ];
  return { columns, rows };
}

function viewNames(catalogRole: boolean, hasAnnotations: boolean): readonly string[] {
  const names = [
    'TAB_COMMENTS',
    'COL_COMMENTS',
    'MVIEW_COMMENTS',
    'EXTERNAL_TABLES',
    ...(hasAnnotations ? ['ANNOTATIONS_USAGE'] : []),
  ];
  return names.flatMap((name) => [`ALL_${name}`, ...(catalogRole ? [`DBA_${name}`] : [])]);
}

function ofKind(objects: readonly OracleObject[], kind: OracleObject['kind']): readonly OracleObject[] {
  return objects.filter((object) => object.kind === kind);
}

function tupleOf(cells: readonly Cell[]): string | undefined {
  return cells.includes(null) ? undefined : JSON.stringify(cells.map(String));
}

function likePattern(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${source}$`, 'su');
}

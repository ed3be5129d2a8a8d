import { ServerFault } from './mssql-fault.ts';
import { fold } from './mssql-model.ts';
import type { Expression, Join, Select, Source } from './mssql-syntax.ts';
import type { Column, Value } from './mssql-tokens.ts';
import { type Viewer, type ViewRow, viewRows } from './mssql-views.ts';

/** A result set. */
export interface Answer {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Value[])[];
}

/** What an expression can refer to. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Value>;
  call(name: string, args: readonly Value[]): Value;
}

/** The rows of the sources that are joined so far, by alias; null is the missing side of an outer join. */
type Joined = ReadonlyMap<string, ViewRow | null>;
type Truth = boolean | null;

const NOTHING: Joined = new Map();

/** Runs a SELECT: joins from left to right, then WHERE. */
export function runSelect(select: Select, scope: Scope, viewer: Viewer): Answer {
  let joined: readonly Joined[] = [NOTHING];
  if (select.from !== undefined) {
    const { alias } = select.from;
    joined = sourceRows(select.from, scope, viewer).map((row) => new Map([[alias, row]]));
  }
  for (const join of select.joins) joined = joinRows(joined, join, scope, viewer);
  const { where } = select;
  const kept = where === undefined ? joined : joined.filter((row) => truth(where, scope, row) === true);
  const rows = kept.map((row) => select.columns.map(({ expression }) => evaluate(expression, scope, row)));
  const columns = select.columns.map(({ alias, expression }, index): Column => {
    const isNumber = rows.some((row) => typeof row[index] === 'number') || expression.kind === 'number';
    return { name: alias, type: isNumber ? 'int' : 'nvarchar' };
  });
  return { columns, rows };
}

function sourceRows(source: Source, scope: Scope, viewer: Viewer): readonly ViewRow[] {
  if (source.kind === 'view') return viewRows(source.name, viewer);
  for (const index of source.columns.keys()) {
    // Such a column is one of integers, and what is compared with it has to become one.
    if (source.rows.every((row) => row[index]?.kind === 'null')) {
      throw new ServerFault(245, 'Conversion failed when converting the nvarchar value to data type int.');
    }
  }
  return source.rows.map((row) => {
    const values = row.map((one) => evaluate(one, scope, NOTHING));
    return Object.fromEntries(source.columns.map((column, index) => [column, values[index] ?? null]));
  });
}

/** Looks rows up by what the condition says to be equal, then asks the whole condition. */
function joinRows(left: readonly Joined[], join: Join, scope: Scope, viewer: Viewer): readonly Joined[] {
  const { alias } = join.source;
  const pairs = equalities(join.on, alias);
  const byKey = indexOf(
    sourceRows(join.source, scope, viewer),
    pairs.map(({ column }) => column),
  );
  return left.flatMap((row) => {
    const key = keyOf(pairs.map(({ other }) => evaluate(other, scope, row)));
    const found = (byKey.get(key) ?? [])
      .map((candidate): Joined => new Map([...row, [alias, candidate]]))
      .filter((one) => truth(join.on, scope, one) === true);
    if (found.length > 0 || !join.outer) return found;
    return [new Map([...row, [alias, null]])];
  });
}

type Index = ReadonlyMap<string, readonly ViewRow[]>;
const indexes = new WeakMap<readonly ViewRow[], Map<string, Index>>();

function indexOf(rows: readonly ViewRow[], columns: readonly string[]): Index {
  const known = indexes.get(rows) ?? new Map<string, Index>();
  indexes.set(rows, known);
  const index = known.get(columns.join()) ?? Map.groupBy(rows, (row) => keyOf(columns.map((one) => row[one] ?? null)));
  known.set(columns.join(), index);
  return index;
}

function equalities(on: Expression, alias: string): readonly { readonly column: string; readonly other: Expression }[] {
  if (on.kind === 'and') return [...equalities(on.left, alias), ...equalities(on.right, alias)];
  if (on.kind !== 'compare' || on.operator !== '=' || on.left.kind !== 'column' || on.left.table !== alias) return [];
  return [{ column: on.left.name, other: on.right }];
}

function keyOf(values: readonly Value[]): string {
  return values.map((value) => (typeof value === 'string' ? `'${fold(value)}` : String(value))).join('\0');
}

export function evaluate(expression: Expression, scope: Scope, row: Joined = NOTHING): Value {
  switch (expression.kind) {
    case 'text':
    case 'number':
      return expression.value;
    case 'null':
      return null;
    case 'variable': {
      const value = scope.variables.get(expression.name);
      if (value === undefined) throw new ServerFault(137, `Must declare the scalar variable "${expression.name}".`);
      return value;
    }
    case 'column': {
      const source = row.get(expression.table);
      if (source === undefined)
        throw new ServerFault(4104, `"${expression.table}.${expression.name}" could not be bound.`);
      if (source === null) return null;
      const value = source[expression.name];
      if (value === undefined) throw new ServerFault(207, `Invalid column name '${expression.name}'.`);
      return value;
    }
    case 'convert': {
      const value = evaluate(expression.value, scope, row);
      return value === null ? null : String(value).slice(0, expression.units);
    }
    case 'call': {
      const args = expression.args.map((one) => evaluate(one, scope, row));
      if (expression.name === 'coalesce') return args.find((one) => one !== null) ?? null;
      return scope.call(expression.name, args);
    }
    default:
      throw new ServerFault(102, 'A condition stands where a value is wanted.');
  }
}

function truth(expression: Expression, scope: Scope, row: Joined): Truth {
  switch (expression.kind) {
    case 'and': {
      const [left, right] = [truth(expression.left, scope, row), truth(expression.right, scope, row)];
      return left === false || right === false ? false : left === null || right === null ? null : true;
    }
    case 'or': {
      const [left, right] = [truth(expression.left, scope, row), truth(expression.right, scope, row)];
      return left === true || right === true ? true : left === null || right === null ? null : false;
    }
    case 'isNull':
      return (evaluate(expression.value, scope, row) === null) !== expression.negated;
    case 'in': {
      const value = evaluate(expression.value, scope, row);
      const list = expression.list.map((one) => evaluate(one, scope, row));
      if (value === null || list.includes(null)) return null;
      return list.some((one) => keyOf([one]) === keyOf([value])) !== expression.negated;
    }
    case 'compare':
      return compare(
        expression.operator,
        evaluate(expression.left, scope, row),
        evaluate(expression.right, scope, row),
      );
    default:
      throw new ServerFault(4145, 'An expression of non-boolean type stands where a condition is expected.');
  }
}

function compare(operator: '=' | '<>' | '<' | '>' | '<=' | '>=' | 'like', left: Value, right: Value): Truth {
  if (left === null || right === null) return null;
  if (operator === 'like') {
    const pattern = String(right)
      .replaceAll(/[.*+?^$|(){}\\]/g, '\\$&')
      .replaceAll('%', '.*')
      .replaceAll('_', '.');
    return new RegExp(`^${pattern}$`, 'is').test(String(left));
  }
  const same = keyOf([left]) === keyOf([right]);
  if (operator === '=') return same;
  if (operator === '<>') return !same;
  const less = Number(left) < Number(right);
  if (operator === '<') return less;
  if (operator === '>') return !less && !same;
  return operator === '<=' ? less || same : !less;
}

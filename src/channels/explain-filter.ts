import type { Json } from '../domain/json.ts';
import type { FilterTrace } from './channel.ts';
import type { FilterEngine } from './filter-engine.ts';
import { describeFilter, operationOf } from './normalise-filter.ts';

/** So many elements of a list are shown at the most. */
const MAX_ELEMENTS = 5;
const MAX_VALUE = 60;

/**
 * How a normalised filter came to its answer. `children` are those clauses alone that decided: of a false `and` the first
 * false one, of a true `or` the first true one, otherwise all of them. A comparison shows the values that it found.
 */
export function explainFilter(logic: Json, data: unknown, engine: FilterEngine, label = ''): FilterTrace {
  const operation = operationOf(logic);
  const result = engine.holds(logic, data);
  const clause = `${label}${describeFilter(logic)}`;
  if (operation === undefined) return { clause, result, children: [] };
  const { name, args } = operation;
  const explain = (arg: Json): FilterTrace => explainFilter(arg, data, engine);
  switch (name) {
    case 'and':
    case 'or': {
      const decides = name === 'or';
      const index = args.findIndex((arg) => engine.holds(arg, data) === decides);
      return { clause, result, children: (index === -1 ? args : args.slice(index, index + 1)).map(explain) };
    }
    case '!':
    case '!!':
      return { clause, result, children: args.map(explain) };
    case 'if':
      return { clause, result, children: chosenBranch(args, data, engine).map(explain) };
    case 'some':
    case 'all':
    case 'none': {
      const children = elements(name, args, data, engine);
      const empty = children.length === 0 ? ` (${describeFilter(args[0] ?? null)} is empty)` : '';
      return { clause: `${clause}${empty}`, result, children };
    }
    default:
      return { clause: `${clause}${found(args, data, engine)}`, result, children: [] };
  }
}

/** The condition that held (or the last one that did not) and the branch that it led to. */
function chosenBranch(args: readonly Json[], data: unknown, engine: FilterEngine): readonly Json[] {
  for (let index = 0; index + 1 < args.length; index += 2) {
    const condition = args[index] ?? null;
    if (engine.holds(condition, data)) return [condition, args[index + 1] ?? null];
  }
  return args.length % 2 === 1 ? args.slice(-1) : [];
}

function elements(name: string, args: readonly Json[], data: unknown, engine: FilterEngine): FilterTrace[] {
  const [list = null, condition = null] = args;
  const value = engine.value(list, data);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const decides = name !== 'all';
  const index = items.findIndex((item) => engine.holds(condition, item) === decides);
  const shown = index === -1 ? items.slice(0, MAX_ELEMENTS) : items.slice(index, index + 1);
  const source = describeFilter(list);
  const first = index === -1 ? 0 : index;
  return shown.map((item, offset) => explainFilter(condition, item, engine, `${source}[${first + offset}] `));
}

/** ` (service.name is "trino_prod")`: the values of the fields that the clause names. */
function found(args: readonly Json[], data: unknown, engine: FilterEngine): string {
  const seen = args.flatMap((arg) => {
    const operation = operationOf(arg);
    if (operation?.name !== 'var') return [];
    return [`${describeFilter(arg)} is ${shorten(engine.value(arg, data))}`];
  });
  return seen.length === 0 ? '' : ` (${seen.join(', ')})`;
}

function shorten(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string' && value.length > MAX_VALUE) return `${JSON.stringify(value.slice(0, MAX_VALUE))}…`;
  return JSON.stringify(value ?? null);
}

/** The innermost clause that decided, for one line of text. */
export function decidingClause(trace: FilterTrace): string {
  let current = trace;
  while (current.children.length === 1 && current.children[0] !== undefined) current = current.children[0];
  return `${current.clause} is ${current.result}`;
}

import { isJsonObject, type Json } from '../domain/json.ts';
import { LIST_GUARD } from './filter-engine.ts';
import { OPERATORS, PERSON_LISTS } from './filter-operators.ts';

/**
 * A checked filter as the engine runs it: aliases replaced, every argument list written out (JsonLogic's short form takes a
 * list for several arguments), and what lists are gone through guarded against values that are none.
 */
export function normaliseFilter(logic: Json): Json {
  if (Array.isArray(logic)) return logic.map((item: Json) => normaliseFilter(item));
  if (!isJsonObject(logic)) return logic;
  const [name] = Object.keys(logic);
  const operator = name === undefined ? undefined : OPERATORS.get(name);
  if (name === undefined || operator === undefined) return null;
  const given = logic[name] ?? null;
  const args: readonly Json[] = (Array.isArray(given) ? given : [given]).map((item: Json) => normaliseFilter(item));
  const people = PERSON_LISTS[name];
  if (people !== undefined) return { '@among': [args[0] ?? null, { var: [people] }] };
  if (operator.kind === 'iterate' || operator.kind === 'reduce') {
    return { [operator.name]: [{ [LIST_GUARD]: [args[0] ?? null] }, ...args.slice(1)] };
  }
  return { [operator.name]: args };
}

/** The only operator of a normalised expression with its arguments; undefined for a literal. */
export function operationOf(logic: Json): { readonly name: string; readonly args: readonly Json[] } | undefined {
  if (!isJsonObject(logic)) return undefined;
  const [name] = Object.keys(logic);
  const args = name === undefined ? undefined : logic[name];
  return name === undefined || !Array.isArray(args) ? undefined : { name, args };
}

const INFIX: ReadonlySet<string> = new Set([
  '==',
  '===',
  '!=',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  'and',
  'or',
  'in',
]);

/** A normalised expression as people read it: `service.name == "pg_sales"`. */
export function describeFilter(logic: Json): string {
  const operation = operationOf(logic);
  if (operation === undefined) {
    return Array.isArray(logic) ? `[${logic.map(describeFilter).join(', ')}]` : JSON.stringify(logic);
  }
  const { name, args } = operation;
  const texts = args.map((arg) => describeFilter(arg));
  const [first = '', second = ''] = texts;
  switch (name) {
    case 'var':
      return args[0] === '' || typeof args[0] !== 'string' ? 'it' : args[0];
    case LIST_GUARD:
      return first;
    case '@among':
      return `${first} among ${second}`;
    case '!':
      return `not (${first})`;
    case '!!':
      return first;
    case 'some':
    case 'all':
    case 'none':
      return `${name} of ${first}: ${second}`;
    default:
      return INFIX.has(name) && texts.length > 1
        ? texts.map((text, index) => bracket(text, args[index] ?? null)).join(` ${name} `)
        : `${name}(${texts.join(', ')})`;
  }
}

function bracket(text: string, logic: Json): string {
  const inner = operationOf(logic)?.name;
  return inner !== undefined && (INFIX.has(inner) || inner === 'some' || inner === 'all' || inner === 'none')
    ? `(${text})`
    : text;
}

import { nearest, suggestion } from '../config/did-you-mean.ts';
import { type ConfigPath, type ConfigProblem, formatPath } from '../config/problem.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { OPERATORS, type Operator, PERSON_LISTS } from './filter-operators.ts';
import { FORBIDDEN_NAMES, resolvePath, type Shape, VOCABULARY } from './vocabulary.ts';

/** A filter is written by people: these bounds are far above any that is meant. */
const MAX_DEPTH = 40;
const MAX_NODES = 5000;

export interface FilterCheck {
  readonly problems: readonly ConfigProblem[];
  readonly needsTags: boolean;
}

/** Words that other filter languages use. */
const OPERATOR_WORDS: ReadonlyMap<string, string> = new Map([
  ['equals', '=='],
  ['equal', '=='],
  ['eq', '=='],
  ['=', '=='],
  ['ne', '!='],
  ['<>', '!='],
  ['not', '!'],
  ['any', 'some'],
  ['every', 'all'],
  ['&&', 'and'],
  ['||', 'or'],
]);

const FREE: Shape = { kind: 'free' };
const FLAG: Shape = { kind: 'flag' };
const TEXT: Shape = { kind: 'text' };
const NUMBER: Shape = { kind: 'number' };

/**
 * Checks a filter against the operators and the vocabulary, each path in the scope that it stands in (inside `some`, `map`, …
 * that is one element of the list). `place`: where the filter stands in the configuration.
 */
export function checkFilter(logic: Json, place: ConfigPath): FilterCheck {
  const checker = new FilterChecker();
  checker.expression(logic, VOCABULARY, place, 0);
  return { problems: checker.problems, needsTags: checker.needsTags };
}

class FilterChecker {
  readonly problems: ConfigProblem[] = [];
  needsTags = false;
  #nodes = 0;

  /** The shape of the value that the expression gives. */
  expression(logic: Json, scope: Shape, place: ConfigPath, depth: number): Shape {
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) {
      if (this.#nodes !== Number.POSITIVE_INFINITY) {
        const limit = depth > MAX_DEPTH ? `nested deeper than ${MAX_DEPTH} levels` : `longer than ${MAX_NODES} parts`;
        this.#problem(place, `the filter is ${limit}`, 'use `in` with a list, or several channels');
      }
      this.#nodes = Number.POSITIVE_INFINITY;
      return FREE;
    }
    if (Array.isArray(logic)) {
      const shapes = logic.map((item: Json, index) => this.expression(item, scope, [...place, index], depth + 1));
      return { kind: 'list', of: shapes.every((shape) => shape.kind !== 'object') ? TEXT : FREE };
    }
    if (isJsonObject(logic)) return this.#operation(logic, scope, place, depth);
    if (typeof logic === 'string') return TEXT;
    return typeof logic === 'number' ? NUMBER : typeof logic === 'boolean' ? FLAG : FREE;
  }

  #operation(
    logic: { readonly [key: string]: Json | undefined },
    scope: Shape,
    place: ConfigPath,
    depth: number,
  ): Shape {
    const names = Object.keys(logic);
    const [name] = names;
    if (name === undefined || names.length > 1) {
      this.#problem(
        place,
        names.length === 0
          ? 'an empty object is no condition'
          : `one object holds several operators: ${names.join(', ')}`,
        'write each operator in an object of its own and join them: { and: [ {…}, {…} ] }',
      );
      return FREE;
    }
    const at = [...place, name];
    const operator = OPERATORS.get(name);
    if (operator === undefined) {
      this.#unknownOperator(name, at);
      return FREE;
    }
    const given = logic[name] ?? null;
    const list: readonly Json[] = Array.isArray(given) ? given : [given];
    const argumentPlace = (index: number): ConfigPath => (Array.isArray(given) ? [...at, index] : at);
    if (list.length < operator.min || list.length > operator.max) {
      const wanted = operator.min === operator.max ? `${operator.min}` : `at least ${operator.min}`;
      this.#problem(
        at,
        `${JSON.stringify(name)} takes ${wanted} argument(s), not ${list.length}`,
        `write ${operator.form}`,
      );
      return FREE;
    }
    const argument = (index: number, inside: Shape = scope): Shape =>
      this.expression(list[index] ?? null, inside, argumentPlace(index), depth + 1);
    switch (operator.kind) {
      case 'var':
        if (list.length === 2) argument(1);
        return this.#variable(list[0] ?? null, scope, argumentPlace(0));
      case 'iterate':
      case 'reduce':
        return this.#iteration(operator, argument, argumentPlace);
      default: {
        const shapes = list.map((_, index) => argument(index));
        return this.#values(name, operator, list, shapes, scope, at);
      }
    }
  }

  #variable(path: Json, scope: Shape, place: ConfigPath): Shape {
    if (typeof path !== 'string') {
      this.#problem(place, 'the name of a field is a plain text', 'write { var: service.name }');
      return FREE;
    }
    const resolved = resolvePath(scope, path);
    if (resolved.ok) {
      if (resolved.readsTags) this.needsTags = true;
      return resolved.shape;
    }
    const { word, candidates = [] } = resolved;
    const outer = scope === VOCABULARY ? undefined : resolvePath(VOCABULARY, path);
    let hint = word === undefined ? undefined : suggestion(word, candidates, 'known fields here');
    if (outer?.ok === true && (word === undefined || nearest(word, candidates) === undefined)) {
      hint = `inside a list operator only the fields of one element can be named (${candidates.join(', ')}); test ${path} beside it, joined by "and"`;
    } else if (word !== undefined && nearest(word, candidates) === undefined) {
      const custom =
        scope === VOCABULARY ? '; custom properties stand below extension, as in extension.costCenter' : '';
      hint = `${hint}${custom}`;
    }
    this.#problem(place, resolved.message, hint);
    return FREE;
  }

  #iteration(
    operator: Operator,
    argument: (index: number, inside?: Shape) => Shape,
    place: (index: number) => ConfigPath,
  ): Shape {
    const list = argument(0);
    if (list.kind !== 'list' && list.kind !== 'free') {
      this.#problem(place(0), `"${operator.name}" goes through a list, and this is none`, `write ${operator.form}`);
    }
    const element = list.kind === 'list' ? list.of : FREE;
    if (operator.kind === 'reduce') {
      argument(2);
      argument(1, { kind: 'object', members: { current: element, accumulator: FREE } });
      return FREE;
    }
    const result = argument(1, element);
    if (operator.name === 'filter') return list;
    return operator.name === 'map' ? { kind: 'list', of: result } : FLAG;
  }

  #values(
    name: string,
    operator: Operator,
    list: readonly Json[],
    shapes: readonly Shape[],
    scope: Shape,
    at: ConfigPath,
  ): Shape {
    const person = PERSON_LISTS[name];
    if (person !== undefined && scope !== VOCABULARY) {
      this.#problem(
        at,
        `"${name}" looks at the ${person} of the entity and cannot stand inside a list operator`,
        'join it to the list operator by "and"',
      );
    }
    if (operator.kind === 'compare') this.#comparison(operator.name, list, shapes, at);
    if (operator.name === 'in') this.#membership(shapes[1], list, shapes, at);
    if (operator.name === 'contains') this.#membership(shapes[0], [...list].reverse(), [...shapes].reverse(), at);
    if (name === 'filterReferenceByType' || name === 'filterTagsBySource') return shapes[0] ?? FREE;
    if (operator.name === 'merge') return { kind: 'list', of: FREE };
    if (operator.name === 'length') return NUMBER;
    return operator.kind === 'compare' ? FLAG : FREE;
  }

  #comparison(name: string, list: readonly Json[], shapes: readonly Shape[], at: ConfigPath): void {
    for (const [index, shape] of shapes.entries()) {
      const withNull = list.some((item) => item === null);
      if ((shape.kind === 'list' || shape.kind === 'object') && !withNull) {
        this.#notSingle(`"${name}" compares single values`, shape, list[index] ?? null, [...at, index]);
      }
      for (const other of list) this.#knownValue(shape, other, at);
    }
  }

  #membership(holder: Shape | undefined, list: readonly Json[], shapes: readonly Shape[], at: ConfigPath): void {
    const [item, holderLogic] = list;
    if (holder?.kind === 'list' && holder.of.kind === 'object') {
      this.#notSingle('this looks for a single value in a list of objects', holder, holderLogic ?? null, at);
    }
    if (holder?.kind === 'object') this.#notSingle('this needs a list or a text', holder, holderLogic ?? null, at);
    const values: readonly Json[] = Array.isArray(holderLogic) ? holderLogic : [];
    for (const value of values)
      if (shapes[0] !== undefined && !Array.isArray(item)) this.#knownValue(shapes[0], value, at);
  }

  #notSingle(message: string, shape: Shape, logic: Json, place: ConfigPath): void {
    const path = isJsonObject(logic) && typeof logic.var === 'string' ? logic.var : 'it';
    const members = (inner: Shape): string => (inner.kind === 'object' ? (Object.keys(inner.members)[0] ?? '') : '');
    const hint =
      shape.kind === 'list'
        ? `${path} is a list: write { some: [ { var: ${path} }, { "==": [ { var: ${JSON.stringify(members(shape.of))} }, … ] } ] }`
        : `${path} is an object: name one of its members, such as ${path}.${members(shape)}`;
    this.#problem(place, message, hint);
  }

  #knownValue(shape: Shape, value: Json, place: ConfigPath): void {
    if (shape.kind !== 'text' || shape.values === undefined || typeof value !== 'string') return;
    if (shape.values.includes(value)) return;
    this.#problem(
      place,
      `${JSON.stringify(value)} is no value of this field`,
      suggestion(value, shape.values, 'possible'),
    );
  }

  #unknownOperator(name: string, at: ConfigPath): void {
    if (name === 'query' || name === 'bool') {
      this.#problem(at, 'this is an Elasticsearch query, which is not supported yet', 'write the filter as JsonLogic');
      return;
    }
    const word = OPERATOR_WORDS.get(name.toLowerCase());
    const known = suggestion(word ?? name, [...OPERATORS.keys()], 'known operators');
    const hint = FORBIDDEN_NAMES.has(name) ? undefined : known;
    this.#problem(at, `unknown operator ${JSON.stringify(name)}`, hint);
  }

  #problem(path: ConfigPath, message: string, hint?: string): void {
    if (this.problems.some((known) => known.message === message && formatPath(known.path) === formatPath(path))) return;
    this.problems.push(hint === undefined ? { path, message } : { path, message, hint });
  }
}

import { LogicEngine } from 'json-logic-engine';
import { isJsonObject, type Json } from '../domain/json.ts';
import { pathParts } from './vocabulary.ts';

/** Turns what is no list into an empty one, so that `some`, `all`, … have an answer for it. Users cannot write it. */
export const LIST_GUARD = '@list';

/**
 * The JsonLogic engine that filters run on. Its comparisons, arithmetic and `var` are ours, because the engine's own
 * throw where values do not fit (a text beside a number), and one custom property of an odd type must not decide a whole
 * filter: here a comparison that makes no sense is false, and arithmetic that makes none is null.
 * It interprets; it never builds code out of the configuration.
 */
export class FilterEngine {
  readonly #engine: LogicEngine;

  constructor() {
    const engine = new LogicEngine(undefined, { disableInline: true, disableInterpretedOptimization: true });
    engine.truthy = truthy;
    for (const [name, method] of Object.entries(METHODS)) engine.addMethod(name, { method });
    this.#engine = engine;
  }

  /** The value of a checked and normalised expression. Null when the engine gives up. */
  value(logic: Json, data: unknown): unknown {
    try {
      const result: unknown = this.#engine.run(logic, data);
      return result;
    } catch {
      return null;
    }
  }

  holds(logic: Json, data: unknown): boolean {
    return truthy(this.value(logic, data));
  }
}

/** JsonLogic's truth: empty lists, empty texts, zero and null are false. */
export function truthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

type Method = (args: readonly unknown[], context: unknown, above?: unknown) => unknown;

const METHODS: Readonly<Record<string, Method>> = {
  var: ([path, fallback], context) => lookUp(context, path) ?? fallback ?? null,
  '==': ([a, b]) => looselyEqual(a, b),
  '!=': ([a, b]) => !looselyEqual(a, b),
  '===': ([a, b]) => strictlyEqual(a, b),
  '!==': ([a, b]) => !strictlyEqual(a, b),
  '<': (args) => ordered(args, (a, b) => a < b),
  '<=': (args) => ordered(args, (a, b) => a <= b),
  '>': (args) => ordered(args, (a, b) => a > b),
  '>=': (args) => ordered(args, (a, b) => a >= b),
  in: ([item, holder]) => holds(holder, item),
  contains: ([holder, item]) => (Array.isArray(item) ? item.every((one) => holds(holder, one)) : holds(holder, item)),
  length: ([value]) => (typeof value === 'string' || Array.isArray(value) ? value.length : 0),
  substr: ([text, from, length]) => substring(text, from, length),
  cat: (args) => args.flat().map(asText).join(''),
  '+': (args) => calculate(args, (a, b) => a + b),
  '*': (args) => calculate(args, (a, b) => a * b),
  '-': (args) => (args.length === 1 ? calculate([0, ...args], minus) : calculate(args, minus)),
  '/': (args) => calculate(args, (a, b) => a / b),
  '%': (args) => calculate(args, (a, b) => a % b),
  min: (args) => calculate(args, (a, b) => Math.min(a, b)),
  max: (args) => calculate(args, (a, b) => Math.max(a, b)),
  '@among': ([person, people]) =>
    asList(people).some((one) => member(one, 'name') === person && typeof person === 'string'),
  filterReferenceByType: ([list, type]) => asList(list).filter((one) => member(one, 'type') === type),
  filterTagsBySource: ([list, source]) => asList(list).filter((one) => member(one, 'source') === source),
  [LIST_GUARD]: ([value]) => asList(value),
};

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function minus(a: number, b: number): number {
  return a - b;
}

/** Own members only: a path never reaches a prototype. */
function member(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function lookUp(context: unknown, path: unknown): unknown {
  let value = context;
  for (const part of pathParts(typeof path === 'string' ? path : '')) value = member(value, part);
  return value;
}

function strictlyEqual(a: unknown, b: unknown): boolean {
  return (a ?? null) === (b ?? null);
}

/** Null equals null and the empty list (a list that was never set); a number equals the text that spells it. */
function looselyEqual(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (typeof a === typeof b) return a === b;
  if (typeof a === 'object' || typeof b === 'object') return false;
  return asNumber(a) === asNumber(b);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** NaN for what spells no number, which equals nothing and is in no order to anything. */
function asNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

type Order = (a: number | string, b: number | string) => boolean;

function ordered(args: readonly unknown[], inOrder: Order): boolean {
  return args.slice(1).every((value, index) => {
    const before = args[index];
    if (typeof before === 'string' && typeof value === 'string') return inOrder(before, value);
    return inOrder(asNumber(before), asNumber(value));
  });
}

function holds(holder: unknown, item: unknown): boolean {
  if (typeof holder === 'string') return typeof item === 'string' && holder.includes(item);
  return asList(holder).some((one) => looselyEqual(one, item));
}

function substring(text: unknown, from: unknown, length: unknown): string {
  const whole = asText(text);
  const start = Number.isFinite(asNumber(from)) ? Math.trunc(asNumber(from)) : 0;
  const rest = whole.slice(start);
  const count = asNumber(length);
  return Number.isFinite(count) ? rest.slice(0, Math.trunc(count)) : rest;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function calculate(args: readonly unknown[], step: (a: number, b: number) => number): number | null {
  const [first, ...rest] = args.map(asNumber);
  if (first === undefined) return null;
  const result = rest.reduce(step, first);
  return Number.isFinite(result) ? result : null;
}

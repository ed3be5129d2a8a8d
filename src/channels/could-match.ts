import type { Json } from '../domain/json.ts';
import type { FilterEngine } from './filter-engine.ts';
import { operationOf } from './normalise-filter.ts';

/** A service that changes may come from, with the service types that its connector serves. */
export interface ServiceIdentity {
  readonly name: string;
  readonly types: readonly string[];
}

type Answer = boolean | 'unknown';

const SERVICE_FIELDS: ReadonlySet<string> = new Set(['service.name', 'service.type', 'serviceType']);
/** Inside these a path is relative to an element, so nothing is known of it. */
const SCOPED: ReadonlySet<string> = new Set(['some', 'all', 'none', 'filter', 'map', 'reduce']);

/**
 * Whether a normalised filter can be true for any entity of the service, judged from the service alone:
 * false only where it is certain. Spares a lane the changes that no channel of its target can want.
 */
export function couldMatch(logic: Json, service: ServiceIdentity, engine: FilterEngine): boolean {
  const types: readonly (string | null)[] = service.types.length === 0 ? [null] : service.types;
  return types.some((type) => {
    const document = { service: { name: service.name, type }, serviceType: type };
    return answer(logic, document, engine) !== false;
  });
}

function answer(logic: Json, document: unknown, engine: FilterEngine): Answer {
  const operation = operationOf(logic);
  if (operation === undefined) return engine.holds(logic, document);
  const { name, args } = operation;
  const each = (): Answer[] => args.map((arg) => answer(arg, document, engine));
  switch (name) {
    case 'and':
      return combine(each(), false);
    case 'or':
      return combine(each(), true);
    case '!':
    case '!!': {
      const [inner = 'unknown'] = each();
      return inner === 'unknown' ? inner : inner === (name === '!!');
    }
    default:
      return knowsOnlyService(logic) ? engine.holds(logic, document) : 'unknown';
  }
}

function combine(answers: readonly Answer[], decides: boolean): Answer {
  if (answers.includes(decides)) return decides;
  return answers.includes('unknown') ? 'unknown' : !decides;
}

function knowsOnlyService(logic: Json): boolean {
  if (Array.isArray(logic)) return logic.every((item: Json) => knowsOnlyService(item));
  const operation = operationOf(logic);
  if (operation === undefined) return true;
  if (SCOPED.has(operation.name) || operation.name.startsWith('@')) return false;
  if (operation.name === 'var') return typeof operation.args[0] === 'string' && SERVICE_FIELDS.has(operation.args[0]);
  return operation.args.every(knowsOnlyService);
}

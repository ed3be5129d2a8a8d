import { isJsonObject } from '../domain/json.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';

const MAX_DEPTH = 100;
const MAX_VALUES = 500_000;

/**
 * Bounds an untrusted value before anything recursive sees it: depth, number of values, and keys that lead to a prototype.
 * Does not recurse itself. Undefined: nothing is wrong.
 */
export function checkTree(root: unknown): ConfigProblem | undefined {
  const pending: { readonly value: unknown; readonly path: ConfigPath }[] = [{ value: root, path: [] }];
  let seen = 0;
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    seen += 1;
    if (seen > MAX_VALUES) return { path: [], message: `the configuration holds more than ${MAX_VALUES} values` };
    if (item.path.length > MAX_DEPTH) {
      return {
        path: item.path.slice(0, 5),
        message: `nested deeper than ${MAX_DEPTH} levels`,
        hint: 'make it flatter',
      };
    }
    for (const [key, value] of childrenOf(item.value)) {
      const path = [...item.path, key];
      if (key === '__proto__') return { path, message: 'the key "__proto__" is not allowed', hint: 'take it out' };
      if (typeof value === 'object' && value !== null) pending.push({ value, path });
      else seen += 1;
    }
  }
  return undefined;
}

function childrenOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item]);
  return isJsonObject(value) ? Object.entries(value) : [];
}

import type { Tag } from '../../src/domain/operation.ts';
import { TAG_PREFIX } from './spec.ts';

/** The name of the extended property that holds the values of a tag key. */
export function tagProperty(key: string): string {
  return TAG_PREFIX + key;
}

/** The tags that an extended property holds: one per line of its value. None when it is not a tag's. */
export function tagsOfProperty(name: string, value: string): readonly Tag[] {
  if (!name.startsWith(TAG_PREFIX)) return [];
  const key = name.slice(TAG_PREFIX.length);
  return value.split('\n').map((one) => ({ key, value: one }));
}

/** The value of the property for these values of one key: each once, sorted, one per line. */
export function propertyValue(values: Iterable<string>): string {
  return [...new Set(values)].sort().join('\n');
}

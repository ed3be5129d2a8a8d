import type { Tag } from '../../src/domain/operation.ts';

/** The tags that an annotation holds: its name is the key, each line of its value a value. Without a value: the empty one. */
export function tagsOfAnnotation(name: string, value: string | null): readonly Tag[] {
  return (value ?? '').split('\n').map((one) => ({ key: name, value: one }));
}

/** The value of the annotation for these values of one key: each once, sorted, one per line. */
export function annotationValue(values: Iterable<string>): string {
  return [...new Set(values)]
    .filter((value) => value !== '')
    .sort()
    .join('\n');
}

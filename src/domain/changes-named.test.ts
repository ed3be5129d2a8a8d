import { describe, expect, it } from 'vitest';
import type { FieldChange } from './change-event.ts';
import { changesNamed } from './changes-named.ts';

const change = (name: string, newValue: string): FieldChange => ({ kind: 'updated', name, newValue });
const some = [change('tags', 'a'), change('description', 'b'), change('tags', 'c')];
const many = [...some, ...Array.from({ length: 60 }, (_, i) => change(`columns.c${i}.description`, 'd'))];

describe('changesNamed', () => {
  it.each([
    ['few', some],
    ['many', many],
  ])('finds all of one name, in order, among %s', (_, changes) => {
    for (const asked of ['once', 'again']) {
      expect([asked, changesNamed(changes, 'tags')]).toEqual([asked, [change('tags', 'a'), change('tags', 'c')]]);
      expect([asked, changesNamed(changes, 'tag')]).toEqual([asked, []]);
    }
  });
});

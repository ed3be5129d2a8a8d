import { describe, expect, it } from 'vitest';
import { partFrom, partsOf } from './parts.ts';

const lengthOf = (text: string): number => text.length;
const cut = (items: readonly string[], count: number, size: number) => [...partsOf(items, { count, size }, lengthOf)];

describe('partsOf', () => {
  it('cuts by the number of items', () => {
    expect(cut(['a', 'b', 'c', 'd', 'e'], 2, 100)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('cuts where the size would be exceeded, not where it is just reached', () => {
    expect(cut(['aaa', 'bb', 'c', 'dddd'], 9, 5)).toEqual([
      ['aaa', 'bb'],
      ['c', 'dddd'],
    ]);
  });

  it('has what is too large go alone', () => {
    expect(cut(['a', 'bbbbbbbb', 'cccccccc', 'd'], 9, 5)).toEqual([['a'], ['bbbbbbbb'], ['cccccccc'], ['d']]);
  });

  it('gives nothing for nothing', () => {
    expect(cut([], 2, 5)).toEqual([]);
  });
});

describe('partFrom', () => {
  it('takes one part from a place on', () => {
    const items = ['aa', 'bb', 'cc', 'dd'];
    expect(partFrom(items, 1, { count: 2, size: 100 }, lengthOf)).toEqual(['bb', 'cc']);
    expect(partFrom(items, 1, { count: 9, size: 3 }, lengthOf)).toEqual(['bb']);
    expect(partFrom(items, 4, { count: 9, size: 3 }, lengthOf)).toEqual([]);
  });
});

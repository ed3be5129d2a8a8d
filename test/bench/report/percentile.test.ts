import { describe, expect, it } from 'vitest';
import { percentile } from './percentile.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => count - i);

describe('percentile', () => {
  it('takes the nearest rank of values in any order', () => {
    expect(percentile(upTo(100), 0.5)).toBe(50);
    expect(percentile(upTo(100), 0.99)).toBe(99);
    expect(percentile(upTo(1_000), 0.99)).toBe(990);
    expect(percentile([3, 1, 2], 0.5)).toBe(2);
  });

  it('sorts by size, not by text', () => {
    expect(percentile([9, 100, 10], 1)).toBe(100);
  });

  it('stays within the values at the ends', () => {
    expect(percentile([7], 0)).toBe(7);
    expect(percentile([7, 8], 1)).toBe(8);
    expect(percentile([], 0.5)).toBeUndefined();
  });
});

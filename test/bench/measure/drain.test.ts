import { describe, expect, it } from 'vitest';
import { untilNextLook } from './drain.ts';

describe('untilNextLook', () => {
  it('looks seldom at first and often towards the end', () => {
    expect(untilNextLook(10, 0.001)).toBe(500);
    expect(untilNextLook(9_000, 0.9)).toBeCloseTo(250);
    expect(untilNextLook(9_900, 0.99)).toBeCloseTo(25);
    expect(untilNextLook(10_000, 1)).toBe(8);
  });
});

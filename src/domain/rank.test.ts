import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRanks, RANK_STEP, type Rank } from './rank.ts';

const rank = fc.record<Rank>({
  time: fc.integer({ min: 1, max: 3 }),
  entityId: fc.constantFrom('a', 'b'),
  version: fc.integer({ min: 1, max: 3 }),
  previous: fc.integer({ min: 1, max: 3 }),
  eventId: fc.constantFrom('e1', 'e2', 'e3'),
});
const base: Rank = { time: 1, entityId: 'a', version: 2, previous: 1, eventId: 'e2' };

describe('compareRanks', () => {
  it.each<[string, Partial<Rank>]>([
    ['a later time, whatever the version', { time: 2, version: 1 }],
    ['a higher version', { version: 3, previous: 3 }],
    ['a lower previous version', { previous: 0, eventId: 'e1' }],
    ['a higher event id', { eventId: 'e3' }],
  ])('puts above: %s', (_, more) => {
    expect(compareRanks({ ...base, ...more }, base)).toBeGreaterThan(0);
    expect(compareRanks(base, { ...base, ...more })).toBeLessThan(0);
  });

  it('does not compare versions of different entities', () => {
    const other = (version: number) => Math.sign(compareRanks({ ...base, entityId: 'b', version }, base));
    expect(other(1)).toBe(other(9));
  });

  it('is a total order', () => {
    fc.assert(
      fc.property(rank, rank, rank, (a, b, c) => {
        expect(compareRanks(a, b) > 0).toBe(compareRanks(b, a) < 0);
        if (compareRanks(a, b) <= 0 && compareRanks(b, c) <= 0) expect(compareRanks(a, c)).toBeLessThanOrEqual(0);
        if (compareRanks(a, b) === 0) expect(a).toEqual(b);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has steps that survive at the size of a timestamp', () => {
    expect(1_796_000_000_000 + RANK_STEP).toBeGreaterThan(1_796_000_000_000);
    expect(JSON.parse(JSON.stringify(1_796_000_000_000 + RANK_STEP))).toBe(1_796_000_000_000 + RANK_STEP);
  });
});

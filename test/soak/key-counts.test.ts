import { describe, expect, it } from 'vitest';
import { KeyCounts } from './key-counts.ts';

describe('KeyCounts', () => {
  it('tells what was never counted and what was more than once, far beyond its first size', () => {
    const counts = new KeyCounts();
    const last = 300_000;
    for (let sequence = 1; sequence <= last; sequence += 1) if (sequence % 1_000 !== 7) counts.add(sequence);
    expect(counts.between(1, last)).toEqual({ lost: 300, doubled: 0 });
    counts.add(7);
    counts.add(8);
    expect(counts.between(1, 1_000)).toEqual({ lost: 0, doubled: 1 });
    expect(counts.between(last - 999, last + 10)).toEqual({ lost: 11, doubled: 0 });
    expect(counts.total).toBe(last - 300 + 2);
  });

  it('does not begin anew after 255', () => {
    const counts = new KeyCounts();
    for (let i = 0; i < 256; i += 1) counts.add(3);
    expect(counts.between(3, 3)).toEqual({ lost: 0, doubled: 1 });
  });
});

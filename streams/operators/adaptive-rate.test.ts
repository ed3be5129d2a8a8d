import { describe, expect, it } from 'vitest';
import { type LoweredRate, lowerRate, rateAt } from './adaptive-rate.ts';

describe('the rate of a target that asks to slow down', () => {
  it('is halved by every answer, down to a floor', () => {
    let lowered: LoweredRate | undefined;
    const rates = Array.from({ length: 9 }, (_, i) => {
      lowered = lowerRate(640, lowered, i * 2_000);
      return lowered.perSecond;
    });
    expect(rates).toEqual([320, 160, 80, 40, 20, 10, 10, 10, 10]);
  });

  it('counts answers that come together as one', () => {
    const first = lowerRate(100, undefined, 0);
    expect(lowerRate(100, lowerRate(100, first, 200), 999).perSecond).toBe(50);
    expect(lowerRate(100, first, 1_000).perSecond).toBe(25);
  });

  it('stays down for a while, then rises evenly to the configured rate and not above', () => {
    const lowered = lowerRate(120, undefined, 0);
    expect(rateAt(120, lowered, 5_000)).toBe(60);
    expect(rateAt(120, lowered, 6_000)).toBe(62);
    expect(rateAt(120, lowered, 20_000)).toBe(90);
    expect(rateAt(120, lowered, 35_000)).toBe(120);
    expect(rateAt(120, lowered, 1_000_000)).toBe(120);
    expect(rateAt(120, undefined, 0)).toBe(120);
  });

  it('from the floor it is back 65 s after the last answer', () => {
    let lowered: LoweredRate | undefined;
    for (let i = 0; i < 50; i += 1) lowered = lowerRate(64, lowered, i * 1_000);
    expect(rateAt(64, lowered, 49_000)).toBe(1);
    expect(rateAt(64, lowered, 49_000 + 65_000)).toBe(64);
  });

  it('does not rise before the target wants to be tried again', () => {
    const lowered = lowerRate(100, undefined, 0, 30_000);
    expect(rateAt(100, lowered, 30_000)).toBe(50);
    expect(rateAt(100, lowered, 36_000)).toBe(60);
    // A shorter wish within the same moment takes nothing back.
    expect(rateAt(100, lowerRate(100, lowered, 500, 1_000), 30_000)).toBe(50);
  });

  it('halves what it has risen to meanwhile', () => {
    const risen = lowerRate(100, lowerRate(100, undefined, 0), 5_000 + 24_000);
    expect(risen.perSecond).toBe(45);
  });
});

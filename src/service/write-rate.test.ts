import { describe, expect, it } from 'vitest';
import { WriteRate } from './write-rate.ts';

describe('the rate of writes', () => {
  it('is that of the time looked at, and nothing at the first look', () => {
    const rate = new WriteRate();
    expect(rate.look(1_000, 500)).toBe(0);
    expect(rate.look(6_000, 550)).toBe(10);
    expect(rate.look(11_000, 550)).toBe(5);
  });

  it('forgets what is older than a minute', () => {
    const rate = new WriteRate();
    rate.look(0, 0);
    rate.look(5_000, 1_000);
    for (let at = 10_000; at <= 60_000; at += 5_000) rate.look(at, 1_000);
    expect(rate.look(65_000, 1_000)).toBe(0);
    expect(rate.look(70_000, 1_060)).toBeCloseTo(1, 5);
  });
});

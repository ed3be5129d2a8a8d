import { describe, expect, it } from 'vitest';
import { mayRetry, OBJECT_RETRY, retryDelay } from './retry-schedule.ts';

describe('the schedule of retries after an object fault', () => {
  it('ends after six attempts, or ten minutes after the first', () => {
    expect(mayRetry(1, undefined, 0)).toBe(true);
    expect(mayRetry(5, 0, 1_000)).toBe(true);
    expect(mayRetry(6, 0, 1_000)).toBe(false);
    expect(mayRetry(2, 0, OBJECT_RETRY.withinMs - 1)).toBe(true);
    expect(mayRetry(2, 0, OBJECT_RETRY.withinMs)).toBe(false);
  });

  it('waits a random share of a time that doubles up to thirty seconds', () => {
    const longest = (attempts: number) => retryDelay(attempts, () => 1 - 1e-9);
    expect([1, 2, 3, 7, 50].map(longest)).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
    expect(retryDelay(3, () => 0.5)).toBe(1_000);
    expect(retryDelay(3, () => 0)).toBe(0);
  });
});

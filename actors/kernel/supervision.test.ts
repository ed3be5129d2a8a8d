import { describe, expect, it } from 'vitest';
import { KernelUsageError } from './kernel-error.ts';
import { nextRestart, restart } from './supervision.ts';

const rule = restart({ minMs: 100, maxMs: 1000, factor: 3, jitter: 0, maxRestarts: 4, withinMs: 10_000 });

describe('restart', () => {
  it('grows the delay up to the maximum and ends at the limit', () => {
    let times: readonly number[] = [];
    const delays: (number | undefined)[] = [];
    for (let i = 0; i < 5; i += 1) {
      const next = nextRestart(rule, times, i, () => 0);
      delays.push(next?.delayMs);
      times = next?.times ?? times;
    }
    expect(delays).toEqual([100, 300, 900, 1000, undefined]);
  });

  it('forgets restarts that are older than the window', () => {
    const next = nextRestart(rule, [0, 1, 2, 9000], 10_001, () => 0);
    expect(next).toEqual({ times: [2, 9000, 10_001], delayMs: 900 });
  });

  it('takes the random share off the delay', () => {
    const jittered = { ...rule, jitter: 0.5 };
    expect(nextRestart(jittered, [], 0, () => 0)?.delayMs).toBe(100);
    expect(nextRestart(jittered, [], 0, () => 1)?.delayMs).toBe(50);
  });

  it.each([{ factor: 0.5 }, { minMs: 5, maxMs: 1 }, { jitter: 2 }, { withinMs: 0 }, { maxRestarts: -1 }])(
    'refuses %o',
    (options) => {
      expect(() => restart(options)).toThrow(KernelUsageError);
    },
  );
});

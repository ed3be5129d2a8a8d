import { describe, expect, it } from 'vitest';
import type { LaneObserver } from './lane-ports.ts';
import { whileOpen } from './while-open.ts';

describe('whileOpen', () => {
  it('tells what is in hand until the end, then that nothing is, and no more', () => {
    const told: number[] = [];
    const observe: LaneObserver = {
      outcome: () => undefined,
      deadLetter: () => undefined,
      limiterWait: () => undefined,
      target: () => undefined,
      progress: ({ held }) => void told.push(held),
    };
    const ending = new AbortController();
    const open = whileOpen(observe, ending.signal);
    const progress = { held: 7, oldestHeldAt: 1, parked: 0 };
    open.progress(progress);
    ending.abort();
    open.progress(progress);
    expect(told).toEqual([7, 0]);
  });
});

import { describe, expect, it } from 'vitest';
import type { LaneObserver } from './lane-ports.ts';
import { whileOpen } from './while-open.ts';

describe('whileOpen', () => {
  it('tells what is in hand, and what waits for a person, until the end, then that nothing does, and no more', () => {
    const told: number[] = [];
    const waiting: number[] = [];
    const observe: LaneObserver = {
      outcome: () => undefined,
      deadLetter: () => undefined,
      limiterWait: () => undefined,
      target: () => undefined,
      progress: ({ held }) => void told.push(held),
      held: (fields) => void waiting.push(fields.length),
    };
    const ending = new AbortController();
    const open = whileOpen(observe, ending.signal);
    const progress = { held: 7, oldestHeldAt: 1, parked: 0 };
    const held = [{ channel: 'docs', why: 'paused', fields: 3, since: 1 }] as const;
    open.progress(progress);
    open.held?.(held);
    ending.abort();
    open.progress(progress);
    open.held?.(held);
    expect([told, waiting]).toEqual([
      [7, 0],
      [1, 0],
    ]);
  });
});

import type { Clock } from '../../streams/operators/clock.ts';

/** A clock that only moves when told. */
export interface ManualClock extends Clock {
  /** Moves on, calling back what is due on the way, in order of time. */
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  let now = 0;
  let ids = 0;
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  return {
    now: () => now,
    after: (ms, callback) => {
      ids += 1;
      const id = ids;
      timers.set(id, { at: now + ms, callback });
      return () => void timers.delete(id);
    },
    advance: (ms) => {
      const end = now + ms;
      for (;;) {
        const next = [...timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
        if (next === undefined) break;
        timers.delete(next[0]);
        now = next[1].at;
        next[1].callback();
      }
      now = end;
    },
  };
}

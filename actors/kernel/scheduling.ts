import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds since the epoch; never goes back. */
export interface Clock {
  now(): number;
}

/** Uniform in [0, 1). */
export type Random = () => number;

export interface Timer {
  /** Does nothing when the timer has fired or was cancelled before. */
  cancel(): void;
}

/** Everything that the kernel ever waits for goes through here, so a test owns time and the order of turns. */
export interface Scheduler {
  /** Runs the task in a later turn, never inside this call. */
  yield(task: () => void): void;
  /** Runs the task once after so many milliseconds. */
  setTimer(ms: number, task: () => void): Timer;
}

/** Monotonic, so that a corrected system time neither wakes nor stalls an actor. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
};

/** How long one macrotask may go on running tasks before timers and sockets get their turn. */
const SLICE_MS = 5;
/** Node fires a longer timeout at once, so longer ones are chained. */
const LONGEST_TIMEOUT_MS = 2_147_483_647;
/** Calls its argument with the async-local values of program start: nothing of a sender sticks to what is scheduled. */
const outside = AsyncLocalStorage.snapshot();

/**
 * The scheduler of production. Tasks share macrotasks: those that become ready while others run are run in the same
 * `setImmediate` until the slice is used up, so a message costs no macrotask of its own and nobody starves I/O.
 */
export function createSystemScheduler(): Scheduler {
  let ready: (() => void)[] = [];
  let position = 0;
  let armed = false;

  function arm(): void {
    armed = true;
    outside(setImmediate, runSlice);
  }

  function runSlice(): void {
    const end = performance.now() + SLICE_MS;
    try {
      for (let task = ready[position]; task !== undefined; task = ready[position]) {
        position += 1;
        task();
        if (performance.now() >= end) break;
      }
    } finally {
      armed = false;
      ready = ready.slice(position);
      position = 0;
      if (ready.length > 0) arm();
    }
  }

  return {
    yield(task) {
      ready.push(task);
      if (!armed) arm();
    },
    setTimer(ms, task) {
      let handle: NodeJS.Timeout;
      const wait = (rest: number): void => {
        const part = Math.min(rest, LONGEST_TIMEOUT_MS);
        handle = setTimeout(() => (rest > part ? wait(rest - part) : task()), part);
      };
      outside(wait, Math.max(0, ms));
      return { cancel: () => clearTimeout(handle) };
    },
  };
}

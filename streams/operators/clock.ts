/** Time as the streams see it; tests own it. */
export interface Clock {
  /** Monotonic milliseconds; only differences mean something. */
  now(): number;
  /** Calls back once after so many milliseconds; the answer cancels. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

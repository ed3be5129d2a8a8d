import { type Clock, systemClock } from './clock.ts';

export interface Rate {
  /** Units per second, above zero; Infinity switches the limit off. */
  readonly perSecond: number;
  /** Units that may be taken at once after a rest. */
  readonly burst: number;
}

/** A rate limit for one owner: first come, first served. */
export interface TokenBucket {
  /**
   * Resolves when so many units may be used. More than `burst` at once is allowed: it waits for a full bucket and leaves it in
   * debt. Rejects with the signal's reason when aborted; nothing is taken then.
   */
  take(units: number, signal?: AbortSignal): Promise<void>;
  /** Takes effect at once, for those who wait as well. */
  setRate(rate: Rate): void;
  /** How many callers wait. */
  waiting(): number;
}

interface Waiter {
  readonly units: number;
  readonly resolve: () => void;
}

export function createTokenBucket(initial: Rate, clock: Clock = systemClock): TokenBucket {
  let rate = checked(initial);
  let tokens = rate.burst;
  let filledAt = clock.now();
  const waiters: Waiter[] = [];
  let cancelTimer: (() => void) | undefined;

  const refill = () => {
    const now = clock.now();
    const gained =
      rate.perSecond === Number.POSITIVE_INFINITY ? rate.burst : ((now - filledAt) * rate.perSecond) / 1_000;
    // A debt is worked off first; what is above the burst is lost.
    tokens = Math.min(rate.burst, tokens + gained);
    filledAt = now;
  };

  const serve = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    refill();
    for (let next = waiters[0]; next !== undefined; next = waiters[0]) {
      const needed = Math.min(next.units, rate.burst);
      if (tokens < needed - 1e-9 && rate.perSecond !== Number.POSITIVE_INFINITY) {
        const waitMs = Math.max(1, Math.ceil(((needed - tokens) * 1_000) / rate.perSecond));
        cancelTimer = clock.after(waitMs, serve);
        return;
      }
      waiters.shift();
      tokens -= next.units;
      next.resolve();
    }
  };

  return {
    take: (units, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const onAbort = () => {
          const index = waiters.indexOf(waiter);
          if (index !== -1) waiters.splice(index, 1);
          reject(signal?.reason);
          serve();
        };
        const waiter: Waiter = {
          units,
          resolve: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        waiters.push(waiter);
        serve();
      }),
    setRate: (next) => {
      refill();
      rate = checked(next);
      tokens = Math.min(tokens, rate.burst);
      serve();
    },
    waiting: () => waiters.length,
  };
}

function checked(rate: Rate): Rate {
  if (rate.perSecond > 0 && rate.burst > 0) return rate;
  throw new RangeError(`A rate needs perSecond and burst above zero, got ${rate.perSecond} and ${rate.burst}`);
}

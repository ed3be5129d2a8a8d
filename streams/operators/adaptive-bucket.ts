import { type LoweredRate, lowerRate, rateAt } from './adaptive-rate.ts';
import { type Clock, systemClock } from './clock.ts';
import { createTokenBucket, type Rate, type TokenBucket } from './token-bucket.ts';

/** How often a lowered rate is brought up to date while somebody waits, ms. */
const STEP_MS = 500;

/** A rate limit that gives way when the target asks to slow down, and comes back to the configured rate by itself. */
export interface AdaptiveBucket extends Pick<TokenBucket, 'take'> {
  /** The target has asked to slow down; see `lowerRate`. */
  throttled(retryAfterMs?: number): void;
  /** Units per second that are allowed now. */
  perSecond(): number;
}

/** Costs nothing beside the token bucket while the rate is the configured one. */
export function createAdaptiveBucket(configured: Rate, clock: Clock = systemClock): AdaptiveBucket {
  const bucket = createTokenBucket(configured, clock);
  let lowered: LoweredRate | undefined;
  let ticking = false;

  const perSecond = (): number => rateAt(configured.perSecond, lowered, clock.now());

  const adjust = (): void => {
    const now = perSecond();
    if (now >= configured.perSecond) lowered = undefined;
    const burst = Math.max(1, (configured.burst * now) / configured.perSecond);
    bucket.setRate(lowered === undefined ? configured : { perSecond: now, burst });
  };

  /** Whoever waits feels the rise too; nobody waits: the next one that comes looks for itself. */
  const tick = (): void => {
    ticking = lowered !== undefined && bucket.waiting() > 0;
    if (!ticking) return;
    adjust();
    clock.after(STEP_MS, tick);
  };

  return {
    async take(units, signal) {
      if (lowered === undefined) return bucket.take(units, signal);
      adjust();
      const taken = bucket.take(units, signal);
      if (!ticking) tick();
      return taken;
    },
    throttled(retryAfterMs) {
      // Without a limit there is no rate to lower; the breaker alone leaves the target in peace.
      if (configured.perSecond === Number.POSITIVE_INFINITY) return;
      lowered = lowerRate(configured.perSecond, lowered, clock.now(), retryAfterMs);
      adjust();
      if (!ticking) tick();
    },
    perSecond,
  };
}

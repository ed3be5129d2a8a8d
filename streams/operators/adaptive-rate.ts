/** A target that asked to slow down gets at least so much of its configured rate. */
const FLOOR_SHARE = 1 / 64;
/** Answers that come within this time of the last slowing down were caused by the rate before it, ms. */
const ONCE_WITHIN_MS = 1_000;
/** The rate stays down so long before it rises, ms. */
const REST_MS = 5_000;
/** From nothing to the configured rate it would take so long, ms. */
const RISE_MS = 60_000;

/** A rate below the configured one. `perSecond` held from `at` on (monotonic milliseconds); it rises once `risesAt` has come. */
export interface LoweredRate {
  readonly perSecond: number;
  readonly at: number;
  readonly risesAt: number;
}

/**
 * Units per second that are allowed now. A lowered rate rises by the same amount in each second, so that it comes back to the
 * configured one by itself, at the latest 65 s after the last answer that asked to slow down.
 */
export function rateAt(configured: number, lowered: LoweredRate | undefined, now: number): number {
  if (lowered === undefined) return configured;
  const risen = (Math.max(0, now - lowered.risesAt) / RISE_MS) * configured;
  return Math.min(configured, lowered.perSecond + risen);
}

/**
 * The target has asked to slow down: half of what was allowed, down to the floor. Several such answers at once count as one.
 * `retryAfterMs`: for how long it wants to be left alone; the rate does not rise before that.
 */
export function lowerRate(
  configured: number,
  lowered: LoweredRate | undefined,
  now: number,
  retryAfterMs = 0,
): LoweredRate {
  const risesAt = now + Math.max(REST_MS, retryAfterMs);
  if (lowered !== undefined && now - lowered.at < ONCE_WITHIN_MS)
    return { ...lowered, risesAt: Math.max(lowered.risesAt, risesAt) };
  const half = rateAt(configured, lowered, now) / 2;
  return { perSecond: Math.max(configured * FLOOR_SHARE, half), at: now, risesAt };
}

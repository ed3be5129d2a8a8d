import { KernelUsageError } from './kernel-error.ts';
import type { Random } from './scheduling.ts';

/** Restart with growing delays. After more than `maxRestarts` within `withinMs` the actor stops instead. */
export interface Restart {
  readonly kind: 'restart';
  readonly minMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** 0–1: the share of the delay that is random; 0.2 makes 1,000 ms into 800–1,000 ms. */
  readonly jitter: number;
  readonly maxRestarts: number;
  readonly withinMs: number;
}

/**
 * What happens when a handler or `start` throws. Chosen by who spawns the actor:
 * - `stop` (default): the actor ends.
 * - `resume`: state and children stay, the next message is handled. A failed `start` has no state and stops.
 * - `restart`: the children and this incarnation end, a new one starts after a delay; waiting messages keep their order.
 * - `escalate`: the actor ends and its parent fails with `ChildFailedError`, under the parent's own supervision.
 */
export type Supervision = 'stop' | 'resume' | 'escalate' | Restart;

/** What becomes of the message whose handler failed: reported at once, or handled again first, at most so many times. */
export type FailedMessage = 'report' | { readonly redeliver: number };

export const RESTART_DEFAULTS: Restart = {
  kind: 'restart',
  minMs: 100,
  maxMs: 30_000,
  factor: 2,
  jitter: 0.2,
  maxRestarts: 10,
  withinMs: 300_000,
};

/** Restart supervision; what is not given is taken from `RESTART_DEFAULTS`. Throws `KernelUsageError` on nonsense. */
export function restart(options: Partial<Omit<Restart, 'kind'>> = {}): Restart {
  const all = { ...RESTART_DEFAULTS, ...options };
  const sound =
    all.minMs >= 0 &&
    all.maxMs >= all.minMs &&
    all.factor >= 1 &&
    all.jitter >= 0 &&
    all.jitter <= 1 &&
    all.maxRestarts >= 0 &&
    all.withinMs > 0;
  if (!sound) {
    throw new KernelUsageError(
      'restart() needs 0 <= minMs <= maxMs, factor >= 1, jitter in [0, 1], maxRestarts >= 0 and withinMs > 0.',
    );
  }
  return all;
}

/**
 * Decides on a restart from the times of the earlier ones (oldest first).
 * Returns the times to remember and the delay in milliseconds, or undefined when the limit is reached.
 */
export function nextRestart(
  rule: Restart,
  earlier: readonly number[],
  now: number,
  random: Random,
): { readonly times: readonly number[]; readonly delayMs: number } | undefined {
  const recent = earlier.filter((time) => now - time < rule.withinMs);
  if (recent.length >= rule.maxRestarts) return undefined;
  const full = Math.min(rule.maxMs, rule.minMs * rule.factor ** recent.length);
  return { times: [...recent, now], delayMs: full * (1 - rule.jitter * random()) };
}

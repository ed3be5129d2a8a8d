/** Object faults (lock timeouts, deadlocks, conflicts) are tried this often, within this time, before the dead letters. */
export const OBJECT_RETRY = { attempts: 6, withinMs: 10 * 60_000, minDelayMs: 500, maxDelayMs: 30_000 } as const;

/** Whether a field that has been tried `attempts` times may be tried once more. */
export function mayRetry(attempts: number, firstAt: number | undefined, now: number): boolean {
  return attempts < OBJECT_RETRY.attempts && (firstAt === undefined || now - firstAt < OBJECT_RETRY.withinMs);
}

/** Full jitter: a random share of 0.5 s × 2ⁿ, at most 30 s. `random` gives [0, 1). */
export function retryDelay(attempts: number, random: () => number): number {
  const ceiling = Math.min(OBJECT_RETRY.maxDelayMs, OBJECT_RETRY.minDelayMs * 2 ** Math.max(0, attempts - 1));
  return Math.ceil(ceiling * random());
}

/** The time in whole milliseconds since the epoch; a monotonic clock gives fractions, records do not. */
export function wholeTime(clock: { now(): number }): number {
  return Math.floor(clock.now());
}

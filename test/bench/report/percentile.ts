/**
 * The value that at least the given share (0–1) of all values is not above (nearest rank).
 * Undefined: there are no values.
 */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.ceil(share * sorted.length);
  return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1];
}

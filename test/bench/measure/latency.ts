/** A change that was published: its place in the order of its asset is the order of the list. */
export interface PublishedChange {
  readonly asset: number;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * Milliseconds from publish to committed, for each change that was committed: a change is done with the first commit of its own text
 * or of a newer one of the same asset, since that overtook it.
 */
export function latencies(
  published: readonly PublishedChange[],
  commits: ReadonlyMap<string, number>,
): readonly number[] {
  const earliest = new Map<number, number>();
  const found: number[] = [];
  for (const { asset, text, at } of published.toReversed()) {
    const own = commits.get(text) ?? Number.POSITIVE_INFINITY;
    const done = Math.min(own, earliest.get(asset) ?? Number.POSITIVE_INFINITY);
    earliest.set(asset, done);
    if (Number.isFinite(done)) found.push(done - at);
  }
  return found.toReversed();
}

/** A clock in epoch milliseconds with fractions, set by the system's clock now. */
export function fineClock(): () => number {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  const offset = now - performance.now();
  return () => offset + performance.now();
}

/** What may go together in one statement, transaction or query. */
export interface PartLimit {
  /** Items at the most; at least 1. */
  readonly count: number;
  /** Of all items together, in the unit of `sizeOf`. An item that is larger by itself goes alone. */
  readonly size: number;
}

/** Items from `start` on, as many as may go together: at least one, where there is one. */
export function partFrom<T>(
  items: readonly T[],
  start: number,
  most: PartLimit,
  sizeOf: (item: T) => number,
): readonly T[] {
  const part: T[] = [];
  let size = 0;
  for (const item of items.slice(start, start + most.count)) {
    size += sizeOf(item);
    if (part.length > 0 && size > most.size) break;
    part.push(item);
  }
  return part;
}

/** All items in their order, cut into parts that may go together. */
export function* partsOf<T>(items: readonly T[], most: PartLimit, sizeOf: (item: T) => number): Iterable<readonly T[]> {
  for (let start = 0; start < items.length; ) {
    const part = partFrom(items, start, most, sizeOf);
    yield part;
    start += part.length;
  }
}

import type { ObjectRef } from '../src/domain/operation.ts';

/** An item with its place in the list that it came from. */
export interface Placed<T> {
  readonly place: number;
  readonly item: T;
}

/** Sorts what a connection is given by the database that it is about, so that each group runs over that database's own session. */
export function byDatabase<T>(
  items: readonly T[],
  objectOf: (item: T) => ObjectRef,
): ReadonlyMap<string, readonly Placed<T>[]> {
  const placed = items.map((item, place): Placed<T> => ({ place, item }));
  return Map.groupBy(placed, ({ item }) => objectOf(item).database);
}

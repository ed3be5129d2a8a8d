/**
 * A map that mostly is empty, and then costs next to nothing: an empty `Map` takes some 300 bytes, and an asset has a dozen of them.
 * Iterates in the order of insertion, as `Map` does.
 */
export class SparseMap<K, V> implements Iterable<[K, V]> {
  #map: Map<K, V> | undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }

  has(key: K): boolean {
    return this.#map?.has(key) ?? false;
  }

  get(key: K): V | undefined {
    return this.#map?.get(key);
  }

  set(key: K, value: V): this {
    this.#map ??= new Map();
    this.#map.set(key, value);
    return this;
  }

  delete(key: K): boolean {
    const deleted = this.#map?.delete(key) ?? false;
    if (this.#map?.size === 0) this.#map = undefined;
    return deleted;
  }

  clear(): void {
    this.#map = undefined;
  }

  keys(): Iterable<K> {
    return this.#map?.keys() ?? NONE;
  }

  values(): Iterable<V> {
    return this.#map?.values() ?? NONE;
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return (this.#map ?? NONE)[Symbol.iterator]();
  }
}

const NONE: readonly never[] = [];

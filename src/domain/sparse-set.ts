/** A set that mostly is empty, and then costs next to nothing; see `SparseMap`. Iterates in the order of insertion. */
export class SparseSet<T> implements Iterable<T> {
  #set: Set<T> | undefined;

  get size(): number {
    return this.#set?.size ?? 0;
  }

  has(value: T): boolean {
    return this.#set?.has(value) ?? false;
  }

  add(value: T): this {
    this.#set ??= new Set();
    this.#set.add(value);
    return this;
  }

  delete(value: T): boolean {
    const deleted = this.#set?.delete(value) ?? false;
    if (this.#set?.size === 0) this.#set = undefined;
    return deleted;
  }

  clear(): void {
    this.#set = undefined;
  }

  [Symbol.iterator](): Iterator<T> {
    return (this.#set ?? NONE)[Symbol.iterator]();
  }
}

const NONE: readonly never[] = [];

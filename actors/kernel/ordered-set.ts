interface Link<T> {
  readonly item: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
}

/**
 * A set in the order of insertion that finds its first item at once, however many were deleted before it. (The iterator
 * of a `Set` walks over the gaps that deleted items leave, which makes a queue of it quadratic.)
 */
export class OrderedSet<T> {
  readonly #links = new Map<T, Link<T>>();
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  get size(): number {
    return this.#links.size;
  }

  get first(): T | undefined {
    return this.#first?.item;
  }

  /** Puts the item at the end, also when it stands elsewhere. */
  append(item: T): void {
    this.delete(item);
    const link: Link<T> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#links.set(item, link);
  }

  delete(item: T): void {
    const link = this.#links.get(item);
    if (link === undefined) return;
    this.#links.delete(item);
    if (link.before === undefined) this.#first = link.after;
    else link.before.after = link.after;
    if (link.after === undefined) this.#last = link.before;
    else link.after.before = link.before;
  }

  clear(): void {
    this.#links.clear();
    this.#first = undefined;
    this.#last = undefined;
  }
}

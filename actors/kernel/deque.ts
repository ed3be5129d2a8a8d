const SMALL = 8;

/** A queue in a circular array that grows on demand and gives its memory back when it has run empty. */
export class Deque<T extends object> {
  /** Its length is a power of two, or 0 before the first item. */
  #slots: (T | undefined)[] = [];
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(Math.max(SMALL, this.#slots.length * 2));
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length += 1;
  }

  /** The oldest item, taken out. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length -= 1;
    if (this.#length === 0 && this.#slots.length > SMALL * 8) this.#resize(SMALL);
    return item;
  }

  peek(): T | undefined {
    return this.#length === 0 ? undefined : this.#slots[this.#head];
  }

  /** Everything, oldest first; the queue is empty afterwards. */
  drain(): T[] {
    const items: T[] = [];
    for (let item = this.shift(); item !== undefined; item = this.shift()) items.push(item);
    return items;
  }

  /** The newest item that fits, left where it is. */
  findLast(fits: (item: T) => boolean): T | undefined {
    for (let i = this.#length - 1; i >= 0; i -= 1) {
      const item = this.#slots[(this.#head + i) & (this.#slots.length - 1)];
      if (item !== undefined && fits(item)) return item;
    }
    return undefined;
  }

  /** Takes the item out, in time proportional to the length; the others keep their order. */
  remove(item: T): void {
    for (let rest = this.#length; rest > 0; rest -= 1) {
      const next = this.shift();
      if (next !== undefined && next !== item) this.push(next);
    }
  }

  #resize(size: number): void {
    const slots: (T | undefined)[] = new Array(size);
    for (let i = 0; i < this.#length; i += 1) slots[i] = this.#slots[(this.#head + i) & (this.#slots.length - 1)];
    this.#slots = slots;
    this.#head = 0;
  }
}

const MOST = 255;

/** How often each sequence was recorded; a byte for each, so that millions fit. */
export class KeyCounts {
  #counts = new Uint8Array(1 << 16);
  #total = 0;

  /** Everything that was counted. */
  get total(): number {
    return this.#total;
  }

  add(sequence: number): void {
    if (sequence >= this.#counts.length) {
      const larger = new Uint8Array(Math.max(this.#counts.length * 2, sequence + 1));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    this.#total += 1;
    this.#counts[sequence] = Math.min(MOST, this.#of(sequence) + 1);
  }

  /** How many of these sequences (inclusive) were never counted, and how many more than once. */
  between(first: number, last: number): { readonly lost: number; readonly doubled: number } {
    let lost = 0;
    let doubled = 0;
    for (let sequence = first; sequence <= last; sequence += 1) {
      const found = this.#of(sequence);
      if (found === 0) lost += 1;
      if (found > 1) doubled += 1;
    }
    return { lost, doubled };
  }

  #of(sequence: number): number {
    return this.#counts[sequence] ?? 0;
  }
}

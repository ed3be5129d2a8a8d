import type { Envelope } from './envelope.ts';
import { OrderedSet } from './ordered-set.ts';

export interface WaitingForPlace<M> {
  readonly key: string;
  readonly envelope: Envelope<M>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Offers to keyed actors for which there is no place yet, by key; the keys in the order in which they came. Bounded. */
export class WaitingRoom<M> {
  readonly #most: number;
  readonly #byKey = new Map<string, WaitingForPlace<M>[]>();
  readonly #keys = new OrderedSet<string>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  get nextKey(): string | undefined {
    return this.#keys.first;
  }

  /** Undefined: even here is no room. */
  add(key: string, envelope: Envelope<M>): Promise<void> | undefined {
    if (this.#size >= this.#most) return undefined;
    this.#size += 1;
    return new Promise((resolve, reject) => {
      const entry = { key, envelope, resolve, reject };
      const others = this.#byKey.get(key);
      if (others !== undefined) {
        others.push(entry);
        return;
      }
      this.#byKey.set(key, [entry]);
      this.#keys.append(key);
    });
  }

  take(key: string): readonly WaitingForPlace<M>[] {
    const entries = this.#byKey.get(key) ?? [];
    this.#byKey.delete(key);
    this.#keys.delete(key);
    this.#size -= entries.length;
    return entries;
  }

  takeAll(): readonly WaitingForPlace<M>[] {
    return [...this.#byKey.keys()].flatMap((key) => this.take(key));
  }
}

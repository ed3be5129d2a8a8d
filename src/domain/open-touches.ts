import type { FieldKey } from './entity.ts';
import type { Touch } from './ledger.ts';
import { SparseMap } from './sparse-map.ts';

/** The open touches of an asset, by field. Invariant: no field has an empty list. */
export class OpenTouches {
  readonly #byField = new SparseMap<FieldKey, Touch[]>();

  get size(): number {
    return this.#byField.size;
  }

  add(touch: Touch): void {
    const touches = this.#byField.get(touch.key);
    if (touches === undefined) this.#byField.set(touch.key, [touch]);
    else touches.push(touch);
  }

  has(key: FieldKey): boolean {
    return this.#byField.has(key);
  }

  of(key: FieldKey): readonly Touch[] {
    return this.#byField.get(key) ?? [];
  }

  fields(): Iterable<readonly [FieldKey, readonly Touch[]]> {
    return this.#byField;
  }

  all(): readonly Touch[] {
    return [...this.#byField.values()].flat();
  }

  /** False when no such touch is open. */
  remove(closed: Touch): boolean {
    const touches = this.#byField.get(closed.key) ?? [];
    const at = touches.findIndex((touch) => touch.sequence === closed.sequence && touch.channel === closed.channel);
    if (at === -1) return false;
    touches.splice(at, 1);
    if (touches.length === 0) this.#byField.delete(closed.key);
    return true;
  }

  /** Moves all touches of a change to another time. */
  rerank(sequence: number, time: number): void {
    for (const touches of this.#byField.values()) {
      for (const [index, touch] of touches.entries()) {
        if (touch.sequence === sequence) touches[index] = { ...touch, rank: { ...touch.rank, time } };
      }
    }
  }
}

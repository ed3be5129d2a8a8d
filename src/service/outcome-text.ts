import type { OutcomeItem, OutcomeMessage, SupersededItem } from '../domain/outcome.ts';

type Item = OutcomeItem | SupersededItem;

/** From so many items on an outcome is put together from the texts of its items: it may have to be split. */
const MANY_ITEMS = 32;

/**
 * The JSON of an outcome, and of the parts that it is split into, with the text of each item and each state made once: of a table with
 * hundreds of columns these are hundreds of kilobytes. Nothing that was asked for may change afterwards.
 */
export class OutcomeTexts {
  readonly #texts = new Map<object, string>();

  /** What `JSON.stringify` makes of the message. */
  whole(message: OutcomeMessage): string {
    return countOf(message) < MANY_ITEMS ? JSON.stringify(message) : this.#composed(message);
  }

  /** Bytes of a message, whose text is not kept. */
  sizeOf(message: OutcomeMessage): number {
    return Buffer.byteLength(this.#composed(message));
  }

  /** Bytes of an item. */
  sizeOfItem(item: Item): number {
    return Buffer.byteLength(this.#of(item));
  }

  /** Fewer bytes than the message has, where it is put together from its items; else 0. */
  leastSize(message: OutcomeMessage): number {
    if (countOf(message) < MANY_ITEMS) return 0;
    let units = 0;
    for (const item of message.items) units += this.#of(item).length;
    for (const item of message.superseded) units += this.#of(item).length;
    return units;
  }

  #composed(message: OutcomeMessage): string {
    const members: string[] = [];
    for (const [name, value] of Object.entries(message)) {
      if (value === undefined) continue;
      members.push(`${JSON.stringify(name)}:${Array.isArray(value) ? this.#list(value) : this.#of(value)}`);
    }
    return `{${members.join(',')}}`;
  }

  #list(values: readonly unknown[]): string {
    return `[${values.map((value) => this.#of(value)).join(',')}]`;
  }

  #of(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  }
}

function countOf({ items, superseded }: OutcomeMessage): number {
  return items.length + superseded.length;
}

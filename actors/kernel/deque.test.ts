import { describe, expect, it } from 'vitest';
import { Deque } from './deque.ts';
import { seededRandom } from './test-kit.ts';

interface Item {
  readonly n: number;
}

describe('Deque', () => {
  it('does what an array does, over growth and shrinkage', () => {
    const random = seededRandom(7);
    const deque = new Deque<Item>();
    let model: Item[] = [];
    for (let step = 0; step < 5000; step += 1) {
      const draw = random();
      // Phases that fill and phases that empty, so that the ring wraps, grows and shrinks.
      if (draw < (step % 1000 < 500 ? 0.7 : 0.2)) {
        const item = { n: step };
        deque.push(item);
        model.push(item);
      } else if (draw < 0.9) {
        expect(deque.shift()).toBe(model.shift());
      } else {
        const even = (item: Item) => item.n % 2 === 0;
        const found = deque.findLast(even);
        expect(found).toBe(model.findLast(even));
        if (found !== undefined) {
          deque.remove(found);
          model = model.filter((item) => item !== found);
        }
      }
      expect(deque.length).toBe(model.length);
      expect(deque.peek()).toBe(model[0]);
    }
    expect(deque.drain()).toEqual(model);
    expect(deque.length).toBe(0);
  });
});

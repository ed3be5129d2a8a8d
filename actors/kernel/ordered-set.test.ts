import { describe, expect, it } from 'vitest';
import { OrderedSet } from './ordered-set.ts';
import { seededRandom } from './test-kit.ts';

describe('OrderedSet', () => {
  it('does what an array without doubles does', () => {
    const random = seededRandom(11);
    const set = new OrderedSet<number>();
    let model: number[] = [];
    for (let step = 0; step < 5000; step += 1) {
      const item = Math.floor(random() * 40);
      model = model.filter((other) => other !== item);
      if (random() < 0.5) {
        set.append(item);
        model.push(item);
      } else {
        set.delete(item);
      }
      expect([set.size, set.first]).toEqual([model.length, model[0]]);
    }
    set.clear();
    expect([set.size, set.first]).toEqual([0, undefined]);
    set.append(1);
    expect(set.first).toBe(1);
  });
});

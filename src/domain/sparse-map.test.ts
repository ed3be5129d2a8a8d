import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SparseMap } from './sparse-map.ts';
import { SparseSet } from './sparse-set.ts';

const keys = fc.integer({ min: 0, max: 4 });
const steps = fc.array(
  fc.record({ kind: fc.constantFrom('set' as const, 'set' as const, 'delete' as const, 'clear' as const), key: keys }),
);

describe('SparseMap and SparseSet', () => {
  it('hold what a Map and a Set hold, in the same order, whatever is done to them', () => {
    fc.assert(
      fc.property(steps, (done) => {
        const [map, set] = [new Map<number, number>(), new Set<number>()];
        const [sparseMap, sparseSet] = [new SparseMap<number, number>(), new SparseSet<number>()];
        done.forEach(({ kind, key }, index) => {
          if (kind === 'set') {
            for (const each of [map, sparseMap]) each.set(key, index);
            for (const each of [set, sparseSet]) each.add(key);
          } else if (kind === 'delete') {
            expect(sparseMap.delete(key)).toBe(map.delete(key));
            expect(sparseSet.delete(key)).toBe(set.delete(key));
          } else for (const each of [map, set, sparseMap, sparseSet]) each.clear();
          expect([...sparseMap]).toEqual([...map]);
          expect([...sparseMap.keys()]).toEqual([...map.keys()]);
          expect([...sparseMap.values()]).toEqual([...map.values()]);
          expect([...sparseSet]).toEqual([...set]);
          expect([sparseMap.size, sparseSet.size]).toEqual([map.size, set.size]);
          expect([sparseMap.get(key), sparseMap.has(key), sparseSet.has(key)]).toEqual([
            map.get(key),
            map.has(key),
            set.has(key),
          ]);
        });
      }),
    );
  });

  it('may be emptied while it is gone through', () => {
    const map = new SparseMap<number, string>().set(1, 'a').set(2, 'b');
    const seen: number[] = [];
    for (const key of map.keys()) {
      seen.push(key);
      map.delete(key);
    }
    expect(seen).toEqual([1, 2]);
    expect(map.size).toBe(0);
  });
});

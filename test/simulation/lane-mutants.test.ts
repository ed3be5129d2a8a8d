import { describe, expect, it } from 'vitest';
import { runWorld } from './lane/lane-world.ts';
import { loadLaneMutant } from './lane/load-mutant.ts';
import { LANE_MUTANTS } from './lane/mutants.ts';

const SEEDS = 300;

describe('mutants of the lane', () => {
  it.each(LANE_MUTANTS)(
    '$name is noticed',
    async (mutant) => {
      const { module, remove } = await loadLaneMutant(mutant);
      try {
        const found: string[] = [];
        for (let seed = 1; seed <= SEEDS && found.length === 0; seed += 1) {
          const { wrongs } = await runWorld(module, seed, { contested: mutant.contested ?? false });
          found.push(...wrongs.filter((wrong) => mutant.noticedAs.test(wrong)));
        }
        expect(found.length).toBeGreaterThan(0);
      } finally {
        await remove();
      }
    },
    120_000,
  );

  it('an edit that no longer fits the sources is an error, not a mutant that survives', async () => {
    const edits = [{ file: 'actors/lane/lane.ts', from: 'no such line', to: '' }];
    await expect(loadLaneMutant({ name: 'old', noticedAs: /./, edits })).rejects.toThrow(/out of date/);
  });
});

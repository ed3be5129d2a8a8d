import { describe, expect, it } from 'vitest';
import { lane } from '../../actors/lane/lane.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { runWorld } from './lane/lane-world.ts';
import { REGRESSIONS } from './lane/regressions.ts';

const SEEDS = 400;
/** A guard against a hang on a busy machine; a run takes some 8 ms. */
const TIMEOUT_MS = 300_000;
const only = process.env.LANE_SEED;

describe('the lane under seeded schedules', () => {
  it(
    'P1 P2 P8: records each key once, acknowledges after that, and leaves the newest value in the target',
    async () => {
      const seeds =
        only === undefined ? [...REGRESSIONS, ...Array.from({ length: SEEDS }, (_, i) => i + 1)] : [Number(only)];
      const failures: string[] = [];
      const totals = new Map<string, number>();
      let compared = 0;
      let excused = 0;
      for (const seed of seeds) {
        // Every fifth lane is contested.
        const verdict = await runWorld({ lane, ConnectorError }, seed, { contested: seed % 5 === 0 });
        compared += verdict.compared;
        excused += verdict.excused;
        for (const [status, count] of verdict.statuses) totals.set(status, (totals.get(status) ?? 0) + count);
        if (verdict.wrongs.length > 0) failures.push(`LANE_SEED=${seed}: ${verdict.wrongs.slice(0, 4).join('; ')}`);
      }
      expect(failures).toEqual([]);
      if (only !== undefined) return;
      expect(compared).toBeGreaterThan(SEEDS * 6);
      // Doubt is no way out: nearly everything has to be right.
      expect(excused).toBeLessThan(compared / 50);
      // The schedules reach every way in which a change can end.
      for (const status of ['applied', 'unchanged', 'superseded', 'skipped', 'failed'])
        expect(totals.get(status) ?? 0).toBeGreaterThan(SEEDS);
    },
    TIMEOUT_MS,
  );

  it('P8: without the end of the sessions of the owner before, values go back, and that is noticed', async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 300 && found.length === 0; seed += 1) {
      const { wrongs } = await runWorld({ lane, ConnectorError }, seed, { fence: false });
      found.push(...wrongs.filter((wrong) => / is .*, not /.test(wrong)));
    }
    expect(found.length).toBeGreaterThan(0);
  });
});

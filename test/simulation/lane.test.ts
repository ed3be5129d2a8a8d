import { describe, expect, it } from 'vitest';
import { lane } from '../../actors/lane/lane.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { runWorld } from './lane/lane-world.ts';

const SEEDS = 200;
/** A guard against a hang on a busy machine; a run takes some 40 ms. */
const TIMEOUT_MS = 180_000;
const only = process.env.LANE_SEED;
/** Seeds that once found a fault. */
const REGRESSIONS = [4_303, 100_278];

describe('the lane under seeded schedules', () => {
  it(
    'records each key once, acknowledges after that, and leaves the newest value in the target',
    async () => {
      const first = only === undefined ? 1 : Number(only);
      const last = only === undefined ? SEEDS : first;
      const failures: string[] = [];
      const totals = new Map<string, number>();
      let compared = 0;
      const seeds = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      for (const seed of only === undefined ? [...REGRESSIONS, ...seeds] : seeds) {
        // Every fifth lane is contested.
        const verdict = await runWorld({ lane, ConnectorError }, seed, { contested: seed % 5 === 0 });
        compared += verdict.compared;
        for (const [status, count] of verdict.statuses) totals.set(status, (totals.get(status) ?? 0) + count);
        if (verdict.wrongs.length > 0) failures.push(`LANE_SEED=${seed}: ${verdict.wrongs.slice(0, 4).join('; ')}`);
      }
      expect(failures).toEqual([]);
      if (only !== undefined) return;
      expect(compared).toBeGreaterThan(SEEDS * 8);
      // The schedules reach every way in which a change can end.
      for (const status of ['applied', 'unchanged', 'superseded', 'skipped', 'failed'])
        expect(totals.get(status) ?? 0).toBeGreaterThan(50);
    },
    TIMEOUT_MS,
  );
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChaosSources, startSources } from './chaos-sources.ts';
import { runRound, SHORT_ROUND } from './rounds.ts';

describe('chaos on real servers: three replicas, killed, stopped, paused and cut off while people edit', () => {
  let sources: ChaosSources;

  beforeAll(async () => {
    sources = await startSources();
  });

  afterAll(() => sources?.stop());

  it.each([11, 27])(
    'P1 P2 P7 P8 seed %i: nothing is lost, nothing is stale, each key has one outcome',
    async (seed) => {
      const report = await runRound(sources, seed, SHORT_ROUND);
      const { faults, unexpectedEnds, drainedAfterMs, changes, strikes } = report;
      const none = { lost: [], stale: [], duplicated: [], without: [], wrong: [], traces: [] };
      expect(faults, strikes.join('\n')).toEqual(none);
      expect(unexpectedEnds).toEqual([]);
      expect(drainedAfterMs).toBeDefined();
      expect(changes).toBeGreaterThanOrEqual(SHORT_ROUND.edits);
    },
    180_000,
  );
});

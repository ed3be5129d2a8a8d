import { describe, expect, it } from 'vitest';
import { conformanceSuite } from './conformance-suite.ts';
import { memoryHarness } from './memory-harness.ts';
import { MUTANTS } from './mutants.ts';
import { CONFORMANCE_CHECKS, runConformance } from './run-conformance.ts';

conformanceSuite('an in-memory connector', memoryHarness().connector, async () => ({
  harness: memoryHarness(),
  stop: async () => {},
}));

describe('conformance kit', () => {
  it('finds nothing wrong with a connector that keeps the rules, and asks everything', async () => {
    const harness = memoryHarness();
    expect(CONFORMANCE_CHECKS.filter((check) => !check.applies(harness.connector.spec))).toEqual([]);
    expect(await runConformance(harness)).toEqual([]);
  });

  it.each(MUTANTS)('objects to a connector that is wrong: %s', async (_, caughtBy, mutate) => {
    const checks = (await runConformance(memoryHarness(mutate))).map(({ check }) => check);
    expect(checks.filter((check) => check.startsWith(caughtBy))).not.toEqual([]);
  });

  it('has no check that catches nothing', () => {
    const idle = CONFORMANCE_CHECKS.filter(({ name }) => !MUTANTS.some(([, caughtBy]) => name.startsWith(caughtBy)));
    expect(idle.map(({ name }) => name)).toEqual([]);
  });
});

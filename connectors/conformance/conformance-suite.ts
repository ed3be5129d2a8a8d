import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connector } from '../contract.ts';
import { runCheck } from './check.ts';
import type { RunningHarness } from './harness.ts';
import { CONFORMANCE_CHECKS } from './run-conformance.ts';

/**
 * Registers the full suite for a connector: one test for each rule that its spec makes it subject to.
 * `start` is called once before the first test; it starts the system, or connects to one. `timeoutMs` is for one rule.
 */
export function conformanceSuite(
  name: string,
  connector: Connector,
  start: () => Promise<RunningHarness>,
  timeoutMs = 120_000,
): void {
  describe(`conformance: ${name}`, () => {
    let running: RunningHarness | undefined;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running?.stop());

    for (const check of CONFORMANCE_CHECKS.filter((one) => one.applies(connector.spec))) {
      it(check.name, { timeout: timeoutMs }, async () => {
        if (running === undefined) throw new Error('the harness did not start');
        expect(await runCheck(check, running.harness)).toEqual([]);
      });
    }
  });
}

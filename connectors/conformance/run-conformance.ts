import { BATCH_CHECKS } from './batch-checks.ts';
import { type Check, runCheck } from './check.ts';
import { DESCRIPTION_CHECKS } from './description-checks.ts';
import { FAILURE_CHECKS } from './failure-checks.ts';
import type { ConformanceHarness, Problem } from './harness.ts';
import { OWNER_AND_TAG_CHECKS } from './owner-and-tag-checks.ts';
import { REFUSAL_CHECKS } from './refusal-checks.ts';
import { SPEC_CHECKS } from './spec-checks.ts';

/** All rules, in the order in which they are put to a connector. */
export const CONFORMANCE_CHECKS: readonly Check[] = [
  ...SPEC_CHECKS,
  ...DESCRIPTION_CHECKS,
  ...OWNER_AND_TAG_CHECKS,
  ...REFUSAL_CHECKS,
  ...BATCH_CHECKS,
  ...FAILURE_CHECKS,
];

/** Puts all rules that say something about the connector to it, one after the other; empty: it keeps them. */
export async function runConformance(harness: ConformanceHarness): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const check of CONFORMANCE_CHECKS) {
    if (check.applies(harness.connector.spec)) problems.push(...(await runCheck(check, harness)));
  }
  return problems;
}

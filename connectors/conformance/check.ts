import { inspect } from 'node:util';
import type { ConnectorSpec } from '../contract.ts';
import type { ConformanceHarness, Problem } from './harness.ts';
import { Kit } from './kit.ts';

/** One rule that connectors have to keep. `run` reports what it finds to the kit. */
export interface Check {
  readonly name: string;
  /** Whether the rule says anything about a connector with these abilities. */
  applies(spec: ConnectorSpec): boolean;
  run(kit: Kit): Promise<void>;
}

/** Puts the rule to one connector; an empty list means that it is kept. A rule that cannot be finished is not kept. */
export async function runCheck(check: Check, harness: ConformanceHarness): Promise<readonly Problem[]> {
  const kit = new Kit(harness, check.name);
  try {
    await check.run(kit);
    await kit.end();
  } catch (error) {
    kit.problem('the check itself', `ended with ${inspect(error, { depth: 2 })}`);
    await kit.end().catch(() => undefined);
  }
  return kit.problems;
}

export const always = (): boolean => true;

export const claims =
  (aspect: 'description' | 'tags' | 'owners') =>
  (spec: ConnectorSpec): boolean =>
    spec.abilities.some((ability) => ability.aspect === aspect && ability.set);

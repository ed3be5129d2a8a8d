import type { Run } from '../../src/service/history.ts';

/** Keys that have more than one outcome. */
export function keysTwice(runs: readonly Run[]): readonly string[] {
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const { sequence, target, channel, aspect, object } of runs) {
    const key = JSON.stringify([sequence, target, channel, aspect, object]);
    if (seen.has(key)) twice.push(key);
    seen.add(key);
  }
  return twice;
}

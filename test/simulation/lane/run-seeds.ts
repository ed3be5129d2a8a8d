import { lane } from '../../../actors/lane/lane.ts';
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { Verdict } from './judge-run.ts';
import { runWorld } from './lane-world.ts';

/** What some schedules came to. */
export interface Tally {
  readonly schedules: number;
  readonly changes: number;
  readonly compared: number;
  readonly excused: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly failures: readonly { readonly seed: number; readonly wrongs: readonly string[] }[];
}

/** What many schedules came to; scripts depend on these names. */
interface Summary {
  readonly schedules: number;
  readonly changes: number;
  /** Changes that were never settled. */
  readonly lost: number;
  /** Values in the target that are not the newest. */
  readonly stale: number;
  /** Keys without exactly one outcome. */
  readonly withoutOneOutcome: number;
  readonly failingSeeds: readonly number[];
  /** Values that were compared, and how many of them differ because a recorded decision was made in doubt. */
  readonly compared: number;
  readonly inDoubt: number;
}

export function emptyTally(): Tally {
  return { schedules: 0, changes: 0, compared: 0, excused: 0, statuses: {}, failures: [] };
}

/** One schedule; every fifth lane is contested. A run that throws counts as wrong, too. */
async function runSeed(seed: number): Promise<Verdict> {
  return runWorld({ lane, ConnectorError }, seed, { contested: seed % 5 === 0 });
}

/** Runs the schedules of `count` seeds from `from` on, one after another. */
export async function runSeeds(from: number, count: number): Promise<Tally> {
  let tally = emptyTally();
  for (let seed = from; seed < from + count; seed += 1) tally = addTallies(tally, await tallyOf(seed));
  return tally;
}

export function addTallies(a: Tally, b: Tally): Tally {
  const names = new Set([...Object.keys(a.statuses), ...Object.keys(b.statuses)]);
  return {
    schedules: a.schedules + b.schedules,
    changes: a.changes + b.changes,
    compared: a.compared + b.compared,
    excused: a.excused + b.excused,
    statuses: Object.fromEntries([...names].map((name) => [name, (a.statuses[name] ?? 0) + (b.statuses[name] ?? 0)])),
    failures: [...a.failures, ...b.failures],
  };
}

export function summaryOf({ schedules, changes, compared, excused, failures }: Tally): Summary {
  const wrongs = failures.flatMap((failure) => failure.wrongs);
  const count = (pattern: RegExp): number => wrongs.filter((wrong) => pattern.test(wrong)).length;
  return {
    schedules,
    changes,
    lost: count(/never settled|never acknowledged/),
    stale: count(/ is .*, not /),
    withoutOneOutcome: count(/outcomes for/),
    failingSeeds: failures.map(({ seed }) => seed),
    compared,
    inDoubt: excused,
  };
}

async function tallyOf(seed: number): Promise<Tally> {
  try {
    const { wrongs, changes, compared, excused, statuses } = await runSeed(seed);
    const failures = wrongs.length === 0 ? [] : [{ seed, wrongs }];
    return { schedules: 1, changes, compared, excused, statuses: Object.fromEntries(statuses), failures };
  } catch (error) {
    const wrong = `the run ended with ${error instanceof Error ? error.message : String(error)}`;
    return { ...emptyTally(), schedules: 1, failures: [{ seed, wrongs: [wrong] }] };
  }
}

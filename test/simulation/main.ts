import { parseArgs } from 'node:util';
import { lane } from '../../actors/lane/lane.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { runWorld } from './lane/lane-world.ts';

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
}

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '5000' },
    from: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const from = Number(values.from);
const schedules = Number(values.schedules);

const wrongs: string[] = [];
const failingSeeds: number[] = [];
let changes = 0;
for (let seed = from; seed < from + schedules; seed += 1) {
  // Every fifth lane is contested, as in the tests.
  const verdict = await runWorld({ lane, ConnectorError }, seed, { contested: seed % 5 === 0 });
  changes += verdict.changes;
  if (verdict.wrongs.length > 0) {
    failingSeeds.push(seed);
    wrongs.push(...verdict.wrongs);
    process.stderr.write(
      `seed ${seed}: ${verdict.wrongs.slice(0, 4).join('; ')}\n  replay it alone: LANE_SEED=${seed} npx vitest run test/simulation/lane.test.ts\n`,
    );
  }
  if ((seed - from + 1) % 1_000 === 0)
    process.stderr.write(`${seed - from + 1} schedules, ${failingSeeds.length} failing\n`);
}

const count = (pattern: RegExp): number => wrongs.filter((wrong) => pattern.test(wrong)).length;
const summary: Summary = {
  schedules,
  changes,
  lost: count(/never settled|never acknowledged/),
  stale: count(/ is .*, not /),
  withoutOneOutcome: count(/outcomes for/),
  failingSeeds,
};
process.stdout.write(
  values.json
    ? `${JSON.stringify(summary, null, 2)}\n`
    : `${summary.schedules} schedules, ${summary.changes} changes: ${summary.lost} lost, ${summary.stale} stale, ${summary.withoutOneOutcome} keys without exactly one outcome; failing seeds: ${failingSeeds.join(', ') || 'none'}\n`,
);
process.exit(failingSeeds.length === 0 ? 0 : 1);

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { killWithUs } from '../support/child-end.ts';
import { readCommandLine, wholeNumber } from '../support/command-line.ts';
import { addTallies, emptyTally, runSeeds, summaryOf, type Tally } from './lane/run-seeds.ts';

/** Seeds that a worker is given at once. */
const SHARE = 250;

const HELP = `npm run simulate -- [--schedules=5000] [--from=1] [--jobs=cores] [--json]

Runs the real lane through seeded schedules of faults, the seeds counted up from --from, and prints the seeds that fail.`;

const values = readCommandLine(HELP, {
  schedules: { type: 'string', default: '5000' },
  from: { type: 'string', default: '1' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  json: { type: 'boolean', default: false },
  worker: { type: 'boolean', default: false },
});

if (values.worker) work();
else await lead();

/** In a process of its own: runs what it is given, share by share, and tells what came of it. */
function work(): void {
  process.on('message', async (share: { readonly from: number; readonly count: number }) => {
    process.send?.(await runSeeds(share.from, share.count));
  });
}

/** Deals the seeds out to worker processes. A signal ends the run early; what was run counts. */
async function lead(): Promise<void> {
  const from = wholeNumber('from', values.from);
  const schedules = wholeNumber('schedules', values.schedules);
  const jobs = Math.max(1, wholeNumber('jobs', values.jobs));
  let next = from;
  let told = 0;
  let tally = emptyTally();
  let ended = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      ended = true;
    });
  const file = fileURLToPath(import.meta.url);
  const worker = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(file, ['--worker'], { detached: true });
      killWithUs(child);
      const give = (): void => {
        const count = Math.min(SHARE, from + schedules - next);
        if (count <= 0 || ended) child.disconnect();
        else child.send({ from: next, count });
        next += Math.max(0, count);
      };
      child.on('message', (result: Tally) => {
        tally = addTallies(tally, result);
        for (const { seed, wrongs } of result.failures) report(seed, wrongs);
        if (tally.schedules - told >= 1_000) {
          told = tally.schedules;
          process.stderr.write(`${tally.schedules} schedules, ${tally.failures.length} failing\n`);
        }
        give();
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`a worker ended with ${code ?? signal}`));
      });
      give();
    });
  await Promise.all(Array.from({ length: Math.min(jobs, Math.ceil(schedules / SHARE)) }, worker));
  const summary = summaryOf(tally);
  process.stdout.write(
    values.json
      ? `${JSON.stringify(summary, null, 2)}\n`
      : `${summary.schedules} schedules, ${summary.changes} changes: ${summary.lost} lost, ${summary.stale} stale, ${summary.withoutOneOutcome} keys without exactly one outcome; failing seeds: ${summary.failingSeeds.join(', ') || 'none'}\n`,
  );
  process.exitCode = summary.failingSeeds.length === 0 ? 0 : 1;
}

function report(seed: number, wrongs: readonly string[]): void {
  process.stderr.write(
    `seed ${seed}: ${wrongs.slice(0, 4).join('; ')}\n  replay it alone: LANE_SEED=${seed} npx vitest run test/simulation/lane.test.ts\n`,
  );
}

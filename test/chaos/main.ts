import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, wholeNumber } from '../support/command-line.ts';
import { startSources } from './chaos-sources.ts';
import { isClean, LONG_ROUND, type RoundReport, runRound } from './rounds.ts';

const HELP = `npm run chaos -- [--rounds=10] [--seed=by the clock] [--json]

Three replicas on NATS, PostgreSQL and MariaDB through rounds of kills, stalls and cut connections; seeds are counted up from --seed.`;

const values = readCommandLine(HELP, {
  rounds: { type: 'string', default: '10' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  json: { type: 'boolean', default: false },
});
const rounds = wholeNumber('rounds', values.rounds);
const firstSeed = wholeNumber('seed', values.seed);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

let ended = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    ended = true;
    say('ends after this round …');
  });
const sources = await startSources();
const reports: RoundReport[] = [];
try {
  for (let i = 0; i < rounds && !ended; i += 1) {
    const report = await runRound(sources, firstSeed + i, LONG_ROUND);
    // What a replica said is only of use where something is wrong.
    reports.push({ ...report, logs: [] });
    tell(report, `${i + 1}/${rounds}`);
  }
} finally {
  await sources.stop();
}
const sum = (count: (report: RoundReport) => number): number =>
  reports.reduce((total, report) => total + count(report), 0);
const summary = {
  rounds: reports.length,
  kills: sum(({ kills }) => kills),
  strikes: sum(({ strikes }) => strikes.length),
  changes: sum(({ changes }) => changes),
  lost: sum(({ faults }) => faults.lost.length),
  stale: sum(({ faults }) => faults.stale.length),
  duplicatedOutcomes: sum(({ faults }) => faults.duplicated.length),
  withoutOutcome: sum(({ faults }) => faults.without.length),
  brokenTraces: sum(({ faults }) => faults.traces.length),
  wrongOutcomes: sum(({ faults }) => faults.wrong.length),
  unexpectedEnds: sum(({ unexpectedEnds }) => unexpectedEnds.length),
  slowestDrainMs: Math.max(0, ...reports.map(({ drainedAfterMs }) => drainedAfterMs ?? Number.POSITIVE_INFINITY)),
  failingSeeds: reports.filter((report) => !isClean(report)).map(({ seed }) => seed),
};
const text = values.json
  ? JSON.stringify(summary)
  : Object.entries(summary)
      .map(([name, value]) => `${name.padEnd(20)} ${Array.isArray(value) ? value.join(' ') || 'none' : value}`)
      .join('\n');
// Nothing that a round may have left behind keeps the program from ending.
process.stdout.write(`${text}\n`, () => process.exit(summary.failingSeeds.length === 0 ? 0 : 1));

function tell(report: RoundReport, number: string): void {
  const { seed, strikes, kills, changes, drainedAfterMs, faults, unexpectedEnds } = report;
  const drained = drainedAfterMs === undefined ? 'NOT drained' : `drained after ${drainedAfterMs} ms`;
  say(`round ${number}, seed ${seed}: ${changes} changes, ${strikes.length} strikes (${kills} kills), ${drained}`);
  if (isClean(report)) return;
  for (const [kind, found] of Object.entries(faults)) for (const text of found.slice(0, 10)) say(`  ${kind}: ${text}`);
  for (const { name, code, signal, said } of unexpectedEnds)
    say(`  ${name} ended with ${code ?? signal}: ${said.slice(-500)}`);
  const folder = join(tmpdir(), `backflow-chaos-failed-${seed}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), JSON.stringify({ ...report, logs: undefined }, null, 2));
  for (const [index, log] of report.logs.entries()) writeFileSync(join(folder, `replica-${index}.log`), log);
  say(`  FAILED. Logs: ${folder}. Again: npm run chaos -- --rounds=1 --seed=${seed}`);
}

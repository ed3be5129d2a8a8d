import { cpus } from 'node:os';
import { mib, type Trend } from './phase-verdict.ts';
import { HELP, readSoakOptions, type SoakOptions, WrongOption } from './soak-options.ts';
import { type PhaseReport, SoakPhases } from './soak-phases.ts';
import { openSoakWorld } from './soak-world.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const options = optionsOrExit();
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ended.abort(new Error(`ended by ${signal} before the soak was over`)));

const reports: PhaseReport[] = [];
const world = await openSoakWorld();
try {
  const phases = new SoakPhases(world, options, ended.signal);
  say(`steady: ${options.minutes} min at ${options.rate} changes/s over a target that fails again and again`);
  tell(await phases.steady());
  say(`assets: ${options.assets} distinct assets`);
  tell(await phases.assets());
  say(`backlog: the service starts in front of ${options.backlog} changes`);
  tell(await phases.backlog());
} catch (error) {
  if (!ended.signal.aborted) throw error;
  say(ended.signal.reason instanceof Error ? ended.signal.reason.message : 'ended');
} finally {
  await world.close();
}
const held = reports.length === 3 && reports.every(({ problems }) => problems.length === 0);
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
process.stdout.write(
  options.json
    ? `${JSON.stringify({ machine, options, held, phases: reports.map(rounded) }, null, 2)}\n`
    : `${machine}\n\n${table(reports)}\n\n${held ? 'all held' : 'NOT held'}\n`,
);
process.exit(held ? 0 : 1);

function optionsOrExit(): SoakOptions {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${HELP}\n`);
    process.exit(0);
  }
  try {
    return readSoakOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error;
    say(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

function tell(report: PhaseReport): void {
  reports.push(report);
  for (const problem of report.problems) say(`  ${report.phase}: ${problem}`);
  if (report.findings.wrong > 0) for (const example of world.count.examples) say(`  ${example}`);
  if (report.problems.length > 0) say(world.service()?.log().slice(-4_000) ?? '');
}

function rounded(report: PhaseReport): object {
  return { ...report, seconds: Math.round(report.seconds), changesPerSecond: speed(report) };
}

function speed({ changes, seconds }: PhaseReport): number {
  return Math.round(changes / seconds);
}

function table(rows: readonly PhaseReport[]): string {
  const head = ['phase', 'changes', 'changes/s', 'target failed', 'heap MiB', 'RSS MiB (peak)', 'fds', 'handles'];
  const more = ['highest lag', 'lost', 'stale', 'doubled', 'wrong', 'verdict'];
  const trend = ({ before, after }: Trend, unit = (value: number) => value): string =>
    `${unit(before)} → ${unit(after)}`;
  const cells = rows.map((row) => [
    row.phase,
    String(row.changes),
    String(speed(row)),
    String(row.failures),
    trend(row.trends.heap, mib),
    `${trend(row.trends.rss, mib)} (${mib(row.trends.rss.peak)})`,
    trend(row.trends.fds),
    trend(row.trends.handles),
    String(row.trends.lag.peak),
    ...[row.findings.lost, row.findings.stale, row.findings.doubled, row.findings.wrong].map(String),
    row.problems.length === 0 ? 'held' : row.problems.join('; '),
  ]);
  const columns = [...head, ...more];
  return [columns, columns.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

import { setTimeout as delay } from 'node:timers/promises';
import type { LatencyCase, StartUpCase } from '../case.ts';
import { percentile } from '../report/percentile.ts';
import { NOT_MEASURED, type Row } from '../report/row.ts';
import type { BenchSource } from '../sources/bench-source.ts';
import type { CommitLog } from '../sources/commit-log.ts';
import type { Variant } from '../variants.ts';
import { type Change, changesOf, finalsOf } from '../workload/workload.ts';
import { settledTally, untilDrained } from './drain.ts';
import { fineClock, latencies, type PublishedChange } from './latency.ts';
import { openSurroundings, publishChange, type Surroundings } from './surroundings.ts';
import { totalUsage, type VariantProcess } from './variant-process.ts';

const LIMIT_MS = 60_000;

/** Publishes at a steady pace to a variant that has run for a while, and asks the source when it committed what. */
export function measureLatency(one: LatencyCase, variant: Variant, source: BenchSource, log: CommitLog): Promise<Row> {
  return onEmptySource(one, variant, source, log, async (around, start) => {
    const process = start();
    const alive = () => process.alive();
    const total = one.warmUp + one.workload.events;
    const [first, ...changes] = changesOf(around.workload, 0, total);
    if (first === undefined) throw new Error(`${one.name} has no changes`);
    await publishChange(around, first);
    await firstCommit(log, alive);
    const published = (await paced(around, changes, one.everyMs)).slice(one.warmUp - 1);
    const durables = variant.durables(around);
    const drained = await untilDrained(around.link, { durables, after: 0, last: total, limitMs: LIMIT_MS, alive });
    const usage = totalUsage([process]);
    const { tally } = await settledTally(source, finalsOf(one.workload, 0, total), drained.endedAt);
    const commits = await log.commits();
    const times = latencies(published, commits);
    const began = published[0]?.at ?? 0;
    const ended = Math.max(...published.map(({ text }) => commits.get(text) ?? 0));
    return {
      changesPerSecond: Math.round((times.length * 1_000) / (ended - began)),
      staleFinals: tally.stale,
      ...usage,
      p50Ms: percentile(times, 0.5) ?? null,
      p99Ms: percentile(times, 0.99) ?? null,
      drained: drained.complete && times.length === published.length,
    };
  });
}

/** Has one change wait, starts the variant's process, and asks the source when it committed that change. */
export function measureStartUp(one: StartUpCase, variant: Variant, source: BenchSource, log: CommitLog): Promise<Row> {
  return onEmptySource(one, variant, source, log, async (around, start) => {
    for (const change of changesOf(one.workload)) await publishChange(around, change);
    const began = fineClock()();
    const process = start();
    const committed = await firstCommit(log, () => process.alive());
    const usage = totalUsage([process]);
    const { tally } = await settledTally(source, finalsOf(one.workload), performance.now());
    return { staleFinals: tally.stale, ...usage, firstWriteMs: Math.round(committed - began) };
  });
}

/** Measures one process of the variant, which `measure` starts, on a source and a log without anything; both are left alone afterwards. */
async function onEmptySource(
  one: LatencyCase | StartUpCase,
  variant: Variant,
  source: BenchSource,
  log: CommitLog,
  measure: (around: Surroundings, start: () => VariantProcess) => Promise<Partial<Row>>,
): Promise<Row> {
  await source.clear();
  await log.empty();
  const around = await openSurroundings(source, one.workload);
  let running: VariantProcess | undefined;
  const start = (): VariantProcess => {
    running = variant.start(around, one);
    return running;
  };
  try {
    await variant.prepare(around);
    return { ...NOT_MEASURED, case: one.name, variant: variant.name, ...(await measure(around, start)) };
  } finally {
    await running?.stop();
    await around.close();
  }
}

/** Epoch milliseconds of the first commit that is seen. */
async function firstCommit(log: CommitLog, alive: () => boolean): Promise<number> {
  const giveUpAt = performance.now() + LIMIT_MS;
  while (performance.now() < giveUpAt && alive()) {
    const [at] = (await log.commits()).values();
    if (at !== undefined) return at;
    await delay(10);
  }
  throw new Error(alive() ? `nothing was written within ${LIMIT_MS / 1_000} s` : 'the variant ended by itself');
}

/** Publishes each change when it is due, never waiting for an acknowledgement before the next. */
async function paced(
  around: Surroundings,
  changes: readonly Change[],
  everyMs: number,
): Promise<readonly PublishedChange[]> {
  const clock = fineClock();
  const began = performance.now();
  const published: PublishedChange[] = [];
  const acknowledged: Promise<void>[] = [];
  for (const [number, change] of changes.entries()) {
    const wait = began + number * everyMs - performance.now();
    if (wait > 0) await delay(wait);
    published.push({ asset: change.asset, text: change.texts.get('') ?? '', at: clock() });
    acknowledged.push(publishChange(around, change));
  }
  await Promise.all(acknowledged);
  return published;
}

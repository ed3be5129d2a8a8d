import type { DrainCase } from '../case.ts';
import { NOT_MEASURED, type Row } from '../report/row.ts';
import type { BenchSource, WriteCounters } from '../sources/bench-source.ts';
import type { PostgresSource } from '../sources/postgres-source.ts';
import type { Variant } from '../variants.ts';
import { finalsOf, standingTexts } from '../workload/workload.ts';
import { type Drained, settledTally, untilDrained } from './drain.ts';
import { pauseAll, resumeSpread } from './spread-lanes.ts';
import { openSurroundings, publishChanges, type Surroundings } from './surroundings.ts';
import { totalUsage, type VariantProcess } from './variant-process.ts';

const LIMIT_MS = 180_000;

/** Fills the stream, starts the variant, and takes the time until the source holds what it has to. */
export async function measureDrain(
  one: DrainCase,
  variant: Variant,
  source: BenchSource,
  cutter: PostgresSource['cutSessions'] | undefined,
  say: (line: string) => void,
): Promise<Row> {
  const { services, assets, events } = one.workload;
  await source.clear();
  await source.preset(standingTexts(one.workload));
  const around = await openSurroundings(source, one.workload);
  let running: readonly VariantProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((process) => process.stop()));
    running = [];
  };
  try {
    await variant.prepare(around);
    const counted = one.warm === true ? services * assets : 0;
    if (counted > 0) {
      await publishChanges(around, 0, counted);
      running = [variant.start(around, one)];
      await drain(around, variant, running, 0, counted);
      await stop();
    }
    const before = await source.counters();
    await publishChanges(around, counted, counted + events);
    if (services > 1) await pauseAll(around);
    running = Array.from({ length: one.replicas ?? 1 }, () => variant.start(around, one));
    if (services > 1) await resumeSpread(around, running.length, say);
    const cuts = one.cut === true && cutter !== undefined ? threeCuts(cutter, say) : undefined;
    const drained = await drain(around, variant, running, counted, counted + events, cuts?.onProgress);
    const usage = totalUsage(running);
    await cuts?.done();
    const finals = finalsOf(one.workload, counted, counted + events);
    const { tally, at } = await settledTally(source, finals, drained.endedAt);
    await stop();
    return {
      ...NOT_MEASURED,
      case: one.name,
      variant: variant.name,
      changesPerSecond: Math.round((tally.done * 1_000) / (at - drained.beganAt)),
      staleFinals: tally.stale,
      stalePoisoned: one.workload.mixed === true ? tally.stalePoisoned : null,
      ...usage,
      ...difference(before, await source.counters()),
      drained: drained.complete,
    };
  } finally {
    await stop();
    await around.close();
  }
}

function drain(
  around: Surroundings,
  variant: Variant,
  running: readonly VariantProcess[],
  after: number,
  last: number,
  onProgress?: (share: number) => void,
): Promise<Drained> {
  return untilDrained(around.link, {
    durables: variant.durables(around),
    after,
    last,
    limitMs: LIMIT_MS,
    alive: () => running.every((process) => process.alive()),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}

function difference(before: WriteCounters, after: WriteCounters): WriteCounters {
  const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b);
  return {
    statements: minus(after.statements, before.statements),
    transactions: minus(after.transactions, before.transactions),
  };
}

/**
 * Cuts after a quarter, a half and three quarters of the changes were given out, so that every variant meets three. A cut that met no
 * session does not count and is made again.
 */
function threeCuts(
  cut: () => Promise<number>,
  say: (line: string) => void,
): { readonly onProgress: (share: number) => void; readonly done: () => Promise<void> } {
  const due = [0.25, 0.5, 0.75];
  const ended: number[] = [];
  let cutting: Promise<void> = Promise.resolve();
  let busy = false;
  const tryOnce = async (): Promise<void> => {
    const sessions = await cut();
    if (sessions > 0) {
      due.shift();
      ended.push(sessions);
    }
    busy = false;
  };
  return {
    onProgress: (share) => {
      if (busy || due[0] === undefined || share < due[0]) return;
      busy = true;
      cutting = tryOnce();
    },
    done: async () => {
      await cutting;
      say(`sessions ended by ${ended.length} cuts: ${ended.join(', ')}`);
    },
  };
}

/** One look at the service while a phase runs. */
export interface Sample {
  /** Bytes of the heap that are left after a garbage collection. */
  readonly heap: number;
  /** Resident bytes of the process. */
  readonly rss: number;
  /** Open file descriptors of the process. */
  readonly fds: number;
  /** What keeps the event loop alive: sockets, pipes, but not timers. */
  readonly handles: number;
  /** Changes that the lane's consumer has not delivered, or delivered and not seen acknowledged. */
  readonly lag: number;
}

/** The median of a measure in the second and in the last third of a phase, and its highest value. */
export interface Trend {
  readonly before: number;
  readonly after: number;
  readonly peak: number;
}

export interface PhaseTrends {
  readonly heap: Trend;
  readonly rss: Trend;
  readonly fds: Trend;
  readonly handles: Trend;
  readonly lag: Trend;
}

/** What was found in the streams and in the source after a phase. */
export interface PhaseFindings {
  /** Changes without any outcome. */
  readonly lost: number;
  /** Values in the source that are not those of the newest change. */
  readonly stale: number;
  /** Changes with more than one outcome for their one key. */
  readonly doubled: number;
  /** Outcomes that no fault of this kind may lead to. */
  readonly wrong: number;
  /** Messages of OUTCOMES that were gone before they could be counted: then nothing is known of them. */
  readonly unread: number;
}

/** Growth between two thirds of a phase that is still called flat: a tenth, and so many bytes for what a collector leaves lying. */
const GROWTH = 1.1;
const SLACK_BYTES = 16 * 1024 * 1024;
/** Sockets that come and go with the target: a session more or less. */
const SLACK_HANDLES = 4;
/** Fewer samples have no thirds worth comparing. */
const FEWEST_SAMPLES = 9;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

export function trendsOf(samples: readonly Sample[]): PhaseTrends {
  const third = Math.floor(samples.length / 3);
  const trend = (measure: (sample: Sample) => number): Trend => {
    const values = samples.map(measure);
    return {
      before: median(values.slice(third, 2 * third)),
      after: median(values.slice(2 * third)),
      peak: values.reduce((highest, value) => Math.max(highest, value), 0),
    };
  };
  return {
    heap: trend(({ heap }) => heap),
    rss: trend(({ rss }) => rss),
    fds: trend(({ fds }) => fds),
    handles: trend(({ handles }) => handles),
    lag: trend(({ lag }) => lag),
  };
}

/** What is wrong with a phase, in words; none: it held. `memoryBytes`: resident memory that may never be exceeded. */
export function problemsOf(
  samples: readonly Sample[],
  findings: PhaseFindings,
  memoryBytes: number,
): readonly string[] {
  const problems: string[] = [];
  for (const [what, count] of Object.entries(findings)) if (count > 0) problems.push(`${count} ${what}`);
  const { heap, rss, fds, handles } = trendsOf(samples);
  if (rss.peak > memoryBytes) problems.push(`${mib(rss.peak)} MiB resident, above the ${mib(memoryBytes)} allowed`);
  if (samples.length < FEWEST_SAMPLES) return problems;
  const bytes: readonly (readonly [string, Trend])[] = [
    ['heap', heap],
    ['resident memory', rss],
  ];
  for (const [what, { before, after }] of bytes)
    if (after > before * GROWTH + SLACK_BYTES) problems.push(`${what} grows: ${mib(before)} → ${mib(after)} MiB`);
  const counts: readonly (readonly [string, Trend])[] = [
    ['file descriptors', fds],
    ['handles', handles],
  ];
  for (const [what, { before, after }] of counts)
    if (after > before + SLACK_HANDLES) problems.push(`${what} grow: ${before} → ${after}`);
  return problems;
}

export const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * How much the heap may grow above what is in use before it is collected whole, percent; V8 left alone goes up to 300. `busy`: memory
 * buys time, a quarter of the processor time of a lane that works off a backlog of many assets as fast as it can.
 */
const GROWTH_PERCENT = { calm: 50, busy: 150 } as const;
export type HeapLoad = keyof typeof GROWTH_PERCENT;

/** Whole collections that follow one another this soon make the heap `busy`; after so long without one it is `calm`. */
const BUSY_WITHIN_MS = 1_000;
const CALM_AFTER_MS = 10_000;
/** A process that starts collects often, since little is in use yet: milliseconds from its start that do not count. */
const START_MS = 5_000;

/** From this size on, in bytes, the space for new objects grows no more; V8 left alone goes up to 134 MB under load. */
export const NEW_SPACE_BYTES = 16_000_000;

/**
 * Makes the process of a replica collect before it grows. What a lane holds is bounded, but what it has let go of would otherwise
 * stay for as long as V8 believes that the machine has room.
 */
export function keepHeapSmall(): void {
  let load: HeapLoad = 'calm';
  let grows = true;
  let collectedAt = Number.NEGATIVE_INFINITY;
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT[load]}`);
  const collected = (at: number): void => {
    const next = loadAfter(load, at - collectedAt);
    collectedAt = at;
    if (next === load || at < START_MS) return;
    load = next;
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT[load]}`);
  };
  // An idle process gives the space back, and has to be able to grow again.
  const lookAtNewSpace = (): void => {
    const mayGrow = newSpaceBytes() < NEW_SPACE_BYTES;
    if (mayGrow === grows) return;
    grows = mayGrow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (isWhole(entry)) collected(entry.startTime);
    lookAtNewSpace();
  }).observe({ entryTypes: ['gc'] });
}

/** How loaded the heap is at a whole collection, so long after the one before. */
export function loadAfter(present: HeapLoad, sinceLastMs: number): HeapLoad {
  if (sinceLastMs <= BUSY_WITHIN_MS) return 'busy';
  return sinceLastMs >= CALM_AFTER_MS ? 'calm' : present;
}

function isWhole(entry: object): boolean {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  const kind: unknown = typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

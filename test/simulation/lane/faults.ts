import type { Random } from '../../../actors/kernel/index.ts';
import { POISON } from './editing-sessions.ts';

/** How the model's target misbehaves. Shares are of requests or batches, 0 to 1. */
export interface TargetFaults {
  /** Tables whose next writes fail with a lock timeout, and how often; infinite: never writable. */
  readonly flaky: Map<string, number>;
  /** Tables whose next writes are chosen as the victim of a deadlock, and how often. */
  readonly deadlocks: Map<string, number>;
  /** Tables that nobody may write to. */
  readonly forbidden: ReadonlySet<string>;
  /** Tables that do not exist. */
  readonly missing: ReadonlySet<string>;
  /** Times (from, to) in which nothing can be reached. */
  readonly outages: readonly (readonly [number, number])[];
  /** Batches that are committed, and whose answer is lost. */
  readonly lostAnswers: number;
  /** Batches whose connection breaks after some of their writes. */
  readonly cutBatches: number;
  /** Batches that are refused with "too many requests". */
  readonly throttled: number;
  /** Answers that take up to `slowMs`. */
  readonly slow: number;
  readonly slowMs: number;
  /** Texts that begin so are refused: one bad item in a batch. */
  readonly refusedText: string;
  /** A new owner's session ends those of earlier epochs. Without it the promises cannot hold (a test shows that it is noticed). */
  readonly fence: boolean;
}

/** Tables that a run can never bring into order; the others have to be right in the end. */
export interface BadTables {
  readonly forbidden: string;
  readonly missing: string;
  readonly locked: string;
}

/** What goes wrong in one run besides the target. Shares are 0 to 1. */
export interface Faults {
  readonly target: TargetFaults;
  readonly bad: BadTables;
  /** Requests to NATS that fail, before or after they were served. */
  readonly trouble: number;
  /** Outcomes that come in up to 15 s late. */
  readonly lateOutcomes: number;
  readonly lostAcks: number;
  /** Reads of the catalogue that fail; undefined: no catalogue is configured. */
  readonly unreachable: number | undefined;
}

/** Draws the faults of a run: each kind in some of the runs, so that many runs know only a few. */
export function drawFaults(
  random: Random,
  { start, span, contested, fence }: { start: number; span: number; contested: boolean; fence: boolean },
): Faults {
  const chance = (share: number): boolean => random() < share;
  const bad = {
    forbidden: chance(0.2) ? 't0' : '',
    missing: chance(0.2) ? 't1' : '',
    locked: chance(0.15) ? 't2' : '',
  };
  const few = (share: number): number => (chance(share) ? 1 + Math.floor(random() * 3) : 0);
  return {
    bad,
    target: {
      flaky: new Map([
        ['t3', few(0.4)],
        [bad.locked, Number.POSITIVE_INFINITY],
      ]),
      deadlocks: new Map([
        ['t3', few(0.2) > 0 ? 1 : 0],
        ['t4', few(0.4)],
      ]),
      forbidden: new Set([bad.forbidden]),
      missing: new Set([bad.missing]),
      outages: chance(0.3) ? [[start + span * 0.3, start + span * 0.3 + 2_000 + random() * 20_000]] : [],
      lostAnswers: chance(0.3) ? 0.1 : 0,
      cutBatches: chance(0.3) ? 0.15 : 0,
      throttled: chance(0.2) ? 0.15 : 0,
      slow: chance(0.2) ? 0.1 : fence ? 0 : 0.2,
      // Without a fence statements have to be under way for as long as it takes another owner to write.
      slowMs: fence ? 4_000 : 30_000,
      refusedText: POISON,
      fence,
    },
    trouble: chance(0.3) ? 0.04 : 0,
    lateOutcomes: contested ? 0.5 : chance(0.3) ? 0.1 : 0,
    lostAcks: chance(0.3) ? 0.1 : 0,
    unreachable: chance(0.4) ? (chance(0.3) ? 0.4 : 0) : undefined,
  };
}

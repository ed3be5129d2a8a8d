import { setTimeout as delay } from 'node:timers/promises';
import type { NatsLink } from '../../../streams/nats/connection.ts';
import type { BenchSource } from '../sources/bench-source.ts';
import { type Finals, type Tally, tallyOf } from '../workload/workload.ts';

export interface Drained {
  /** When the first change was given out and when the last one was acknowledged; `performance.now()`. */
  readonly beganAt: number;
  readonly endedAt: number;
  /** False: the time was over before all changes were acknowledged. */
  readonly complete: boolean;
}

export interface DrainOptions {
  readonly durables: readonly string[];
  /** Sequence of the last change that does not count. */
  readonly after: number;
  /** Of the stream. */
  readonly last: number;
  readonly limitMs: number;
  /** False: the variant has ended by itself, and nothing will come any more. */
  readonly alive: () => boolean;
  /** Told how much of the stream was given out, from 0 to 1, whenever that was looked at. */
  readonly onProgress?: (share: number) => void;
}

/** Each look makes an old server (2.9) go through all subjects of the stream: 20 ms for 20,000 of them, time that the variant then lacks. */
const LOOK_MOST_MS = 500;
const LOOK_LEAST_MS = 8;

/**
 * Watches the consumers, not what the variant says, until everything up to `last` is acknowledged. Rejects when the variant ends
 * before that.
 */
export async function untilDrained(link: NatsLink, options: DrainOptions): Promise<Drained> {
  const { durables, after, last, limitMs } = options;
  const open = new Set(durables);
  let beganAt: number | undefined;
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    const states = await Promise.all([...open].map((durable) => stateOf(link, durable)));
    const now = performance.now();
    const delivered = Math.max(0, ...states.map((state) => state?.delivered ?? 0));
    if (beganAt === undefined && delivered > after) beganAt = now;
    options.onProgress?.((delivered - after) / (last - after));
    for (const state of states) if (state?.waiting === 0 && beganAt !== undefined) open.delete(state.durable);
    if (open.size === 0) return { beganAt: beganAt ?? now, endedAt: now, complete: true };
    if (!options.alive()) throw new Error('the variant ended by itself');
    if (now > giveUpAt) return { beganAt: beganAt ?? now - limitMs, endedAt: now, complete: false };
    await delay(
      beganAt === undefined ? LOOK_LEAST_MS / 2 : untilNextLook(now - beganAt, (delivered - after) / (last - after)),
    );
  }
}

/** Seldom while much is left, often towards the end. `share`: of the stream that was given out in `elapsedMs`, above 0. */
export function untilNextLook(elapsedMs: number, share: number): number {
  const leftMs = (elapsedMs * (1 - share)) / share;
  return Math.min(LOOK_MOST_MS, Math.max(LOOK_LEAST_MS, leftMs / 4));
}

/** Undefined: the variant has not made its consumer yet. `waiting`: not given out, or not acknowledged. */
async function stateOf(
  link: NatsLink,
  durable: string,
): Promise<{ readonly durable: string; readonly delivered: number; readonly waiting: number } | undefined> {
  const info = await link.jsm.consumers.info('CHANGES', durable).catch(() => undefined);
  if (info === undefined) return undefined;
  return { durable, delivered: info.delivered.stream_seq, waiting: info.num_pending + info.num_ack_pending };
}

/** How long what was acknowledged may take to show in the source. */
const SETTLE_MS = 3_000;

/**
 * Reads the finals until all stand, or until waiting is of no use. `at`: when the last of them was seen; a variant that acknowledges
 * before it writes gains nothing.
 */
export async function settledTally(
  source: BenchSource,
  finals: Finals,
  drainedAt: number,
): Promise<{ readonly tally: Tally; readonly at: number }> {
  let tally = tallyOf(finals, await source.texts());
  let at = drainedAt;
  let giveUpAt = performance.now() + SETTLE_MS;
  while (tally.stale + tally.stalePoisoned > 0 && performance.now() < giveUpAt) {
    await delay(50);
    const now = performance.now();
    const next = tallyOf(finals, await source.texts());
    if (next.done > tally.done) {
      at = now;
      giveUpAt = now + SETTLE_MS;
    }
    tally = next;
  }
  return { tally, at };
}

import { setTimeout as delay } from 'node:timers/promises';
import { type PhaseFindings, type PhaseTrends, problemsOf, type Sample, trendsOf } from './phase-verdict.ts';
import { SoakEdits, WRITTEN_SCHEMA } from './soak-events.ts';
import type { SoakOptions } from './soak-options.ts';
import { TABLES } from './soak-target.ts';
import type { SoakWorld } from './soak-world.ts';

export interface PhaseReport {
  readonly phase: 'steady' | 'assets' | 'backlog';
  readonly changes: number;
  /** From the first change, or the start of the service in front of a backlog, to the last one settled. */
  readonly seconds: number;
  /** How often the target failed. */
  readonly failures: number;
  readonly trends: PhaseTrends;
  readonly findings: PhaseFindings;
  readonly problems: readonly string[];
}

/** A lane that settles nothing for so long, with its target back, is taken to be stuck. */
const STUCK_MS = 90_000;
/** Samples that a phase of known length takes. */
const SAMPLES = 360;
const SHORTEST_SAMPLE_MS = 250;
const LONGEST_SAMPLE_MS = 10_000;

/** The three phases of a soak on one world; `ended` ends the run early, with an error. */
export class SoakPhases {
  readonly #world: SoakWorld;
  readonly #options: SoakOptions;
  readonly #ended: AbortSignal;
  readonly #edits = new SoakEdits(WRITTEN_SCHEMA);
  /** What has to stand in the source at the end. */
  readonly #newest = new Map<string, string>();
  /** What went wrong beside the phase: the service ended, the target did not come back. */
  #trouble: unknown;

  constructor(world: SoakWorld, options: SoakOptions, ended: AbortSignal) {
    this.#world = world;
    this.#options = options;
    this.#ended = ended;
  }

  /** Changes at an even rate while the target fails again and again. */
  async steady(): Promise<PhaseReport> {
    const lastsMs = this.#options.minutes * 60_000;
    const everyMs = Math.min(20_000, lastsMs / 9);
    return this.#phase('steady', between(SHORTEST_SAMPLE_MS, lastsMs / SAMPLES, LONGEST_SAMPLE_MS), async () => {
      const over = new AbortController();
      const flapping = this.#beside(this.#world.target.flap(everyMs, over.signal));
      try {
        const beginning = performance.now();
        let sent = 0;
        for (let passed = 0; passed < lastsMs; passed = performance.now() - beginning) {
          this.#goOn();
          const due = Math.floor((passed / 1_000) * this.#options.rate);
          for (; sent < due; sent += 1) await this.#edit(sent);
          await delay(10);
        }
      } finally {
        over.abort();
      }
      return flapping;
    });
  }

  /** One change for each of many tables that the filter refuses: each is met, its state is asked for, its outcome recorded. */
  assets(): Promise<PhaseReport> {
    const { assets } = this.#options;
    const edits = new SoakEdits('refused');
    return this.#phase('assets', sampleEvery(assets), async () => {
      for (let i = 0; i < assets; i += 1) {
        if (i % 1_000 === 0) this.#goOn();
        await this.#world.publish(edits.next(i, Date.now(), false));
      }
      return 0;
    });
  }

  /** The service starts, as a new process, in front of a backlog. */
  async backlog(): Promise<PhaseReport> {
    const { backlog } = this.#options;
    await this.#world.stopService();
    const first = (await this.#world.lastSequence()) + 1;
    for (let i = 0; i < backlog; i += 1) {
      if (i % 1_000 === 0) this.#goOn();
      await this.#edit(i);
    }
    await this.#world.settled();
    return this.#phase(
      'backlog',
      sampleEvery(backlog),
      async () => {
        await this.#world.startService();
        return 0;
      },
      first,
    );
  }

  /** Throws when the run has to end. */
  #goOn(): void {
    this.#ended.throwIfAborted();
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** Runs beside a phase; its failure ends the run at the next step. */
  #beside<T>(work: Promise<T>): Promise<T> {
    work.catch((error: unknown) => {
      this.#trouble ??= error;
    });
    return work;
  }

  async #edit(count: number): Promise<void> {
    // A step that shares no divisor with the number of tables visits all before it comes back to one.
    const table = (count * 7919) % TABLES;
    const event = this.#edits.next(table, Date.now());
    this.#newest.set(`t${table}`, event.text);
    await this.#world.publish(event);
  }

  /** `work` publishes, and says how often the target failed meanwhile. `from`: the phase's first change when it was published before. */
  async #phase(
    phase: PhaseReport['phase'],
    everyMs: number,
    work: () => Promise<number>,
    from?: number,
  ): Promise<PhaseReport> {
    const world = this.#world;
    const first = from ?? (await world.lastSequence()) + 1;
    const [keysBefore, wrongBefore, unreadBefore] = [world.count.keys, world.count.wrong, world.count.unread];
    const beginning = performance.now();
    const samples: Sample[] = [];
    const over = new AbortController();
    const sampling = this.#beside(this.#sample(samples, everyMs, over.signal));
    let failures: number;
    try {
      failures = await work();
      await world.settled();
      await this.#untilSettled(keysBefore + (await world.lastSequence()) - first + 1);
    } finally {
      over.abort();
      await sampling;
    }
    const seconds = (performance.now() - beginning) / 1_000;
    const last = await world.lastSequence();
    const findings: PhaseFindings = {
      ...world.count.between(first, last),
      stale: await this.#stale(),
      wrong: world.count.wrong - wrongBefore,
      unread: world.count.unread - unreadBefore,
    };
    return {
      phase,
      changes: last - first + 1,
      seconds,
      failures,
      trends: trendsOf(samples),
      findings,
      problems: problemsOf(samples, findings, this.#options.memory * 1024 * 1024),
    };
  }

  async #sample(samples: Sample[], everyMs: number, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const service = this.#world.service();
      // A service that is just going up or down has nothing to say.
      if (service !== undefined) {
        const [own, lag] = await Promise.all([service.sample(), this.#world.lag()]);
        samples.push({ ...own, lag });
      }
      await delay(everyMs, undefined, { signal: over }).catch(() => undefined);
    }
  }

  /** Waits until nothing is left and `keys` outcomes have been counted, or nothing happens any more. */
  async #untilSettled(keys: number): Promise<void> {
    const { count, lag } = this.#world;
    let seen = { lag: -1, keys: -1 };
    let movedAt = performance.now();
    while (performance.now() - movedAt < STUCK_MS) {
      this.#goOn();
      const now = { lag: await lag(), keys: count.keys };
      if (now.lag === 0 && now.keys >= keys) return;
      if (now.lag !== seen.lag || now.keys !== seen.keys) movedAt = performance.now();
      seen = now;
      await delay(100);
    }
  }

  async #stale(): Promise<number> {
    const found = await this.#world.target.comments();
    return [...this.#newest].filter(([table, text]) => found.get(table) !== text).length;
  }
}

const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

/** Long phases are sampled more rarely: each sample collects garbage in the service. */
const sampleEvery = (changes: number): number => between(SHORTEST_SAMPLE_MS, changes / 100, 2_000);

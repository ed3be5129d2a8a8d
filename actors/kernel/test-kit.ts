import type { Recipient } from './actor-ref.ts';
import type { Clock, Random, Scheduler } from './scheduling.ts';

export interface TestKitOptions {
  /** With a seed the order of turns is drawn from it; without one turns run first come, first served. */
  readonly seed?: number;
  /** Epoch milliseconds at which virtual time begins. Default 0. */
  readonly startAt?: number;
}

/**
 * Virtual time and a scheduler in the test's hands; give `clock`, `random` and `scheduler` to `createActorSystem`.
 * Nothing runs before one of the run functions is called. What runs may only wait for promises and for this kit, never
 * for real I/O or real timers.
 */
export interface TestKit {
  readonly clock: Clock;
  /** Drawn from the seed (0 without one). */
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** Suspends the caller for one turn, whose place among the others the scheduler chooses. */
  suspend(): Promise<void>;
  /** Suspends the caller for virtual time. */
  sleep(ms: number): Promise<void>;
  /** Runs turns until none is ready; time stands still. */
  settle(): Promise<void>;
  /** Lets so much virtual time pass, running each turn and timer at its time. */
  advance(ms: number): Promise<void>;
  /** Runs until neither turns nor timers are left, or `done` says so. With a seed, timers due soon may fire among ready turns. */
  run(done?: () => boolean): Promise<void>;
}

interface PendingTimer {
  readonly due: number;
  readonly order: number;
  readonly task: () => void;
}

const MOST_STEPS = 200_000;
/** How often, with a seed, a timer fires although turns are ready: slow handlers, in other words. */
const EARLY_TIMER_SHARE = 0.1;
/** Only timers due this soon fire early: a deadline of seconds is not met by chance. */
const EARLY_TIMER_REACH_MS = 50;

/** A small generator (mulberry32) with a good spread over neighbouring seeds. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function createTestKit(options: TestKitOptions = {}): TestKit {
  const { seed, startAt = 0 } = options;
  const random = seededRandom(seed ?? 0);
  const ready: (() => void)[] = [];
  const timers = new Set<PendingTimer>();
  let now = startAt;
  let created = 0;

  const scheduler: Scheduler = {
    yield: (task) => void ready.push(task),
    setTimer(ms, task) {
      created += 1;
      const timer = { due: now + Math.max(0, ms), order: created, task };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
  };

  function earliest(latest: number): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of timers) {
      if (timer.due > latest) continue;
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }

  function takeReady(): (() => void) | undefined {
    const index = seed === undefined ? 0 : Math.floor(random() * ready.length);
    return ready.splice(index, 1)[0];
  }

  function fire(timer: PendingTimer): void {
    timers.delete(timer);
    now = Math.max(now, timer.due);
    timer.task();
  }

  /** One turn or one timer due until `latest`, and all microtasks after it. False: there was nothing. */
  async function step(latest: number): Promise<boolean> {
    // What the caller did last may have made turns ready in microtasks of its own.
    await microtasks();
    const early = seed !== undefined && ready.length > 0 && random() < EARLY_TIMER_SHARE;
    const reach = early ? Math.min(latest, now + EARLY_TIMER_REACH_MS) : latest;
    const timer = early || ready.length === 0 ? earliest(reach) : undefined;
    if (timer !== undefined) fire(timer);
    else if (ready.length > 0) takeReady()?.();
    else return false;
    return true;
  }

  async function stepWhile(latest: () => number, done: () => boolean = () => false): Promise<void> {
    for (let steps = 0; !done(); steps += 1) {
      if (steps === MOST_STEPS)
        throw new Error(`Not at rest after ${MOST_STEPS} steps: does something repeat for ever?`);
      if (!(await step(latest()))) return;
    }
  }

  return {
    clock: { now: () => now },
    random,
    scheduler,
    suspend: () => new Promise((resolve) => scheduler.yield(resolve)),
    sleep: (ms) => new Promise((resolve) => void scheduler.setTimer(ms, resolve)),
    settle: () => stepWhile(() => now),
    async advance(ms) {
      const until = now + ms;
      await stepWhile(() => until);
      now = until;
    },
    run: (done) => stepWhile(() => Number.POSITIVE_INFINITY, done),
  };
}

/** Remembers what it is told. */
export interface Probe<M> extends Recipient<M> {
  readonly messages: readonly M[];
}

export function createProbe<M>(name = 'probe'): Probe<M> {
  const messages: M[] = [];
  return { name, messages, tell: (msg) => messages.push(msg) > 0 };
}

/** How many turns may share one macrotask: real I/O of the process (a test runner's messages) is not starved. */
const TURNS_PER_MACROTASK = 500;
let turns = 0;

/**
 * Resolves when all microtasks that are due have run. Node runs what `nextTick` was given within a microtask once no microtask is
 * left, which spares a round of the event loop.
 */
async function microtasks(): Promise<void> {
  turns += 1;
  if (turns % TURNS_PER_MACROTASK === 0) return new Promise((resolve) => setImmediate(resolve));
  await undefined;
  return new Promise((resolve) => process.nextTick(resolve));
}

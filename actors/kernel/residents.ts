import type { Kernel } from './kernel.ts';
import { OrderedSet } from './ordered-set.ts';
import type { Timer } from './scheduling.ts';

/** What is to be known of an actor that takes a place in memory. */
export interface Resident {
  activate(): void;
  /** Since when it has nothing to do, epoch milliseconds; kept here for `Residents`. */
  restedAt: number;
  /** Begins its passivation; false when it is not idle. */
  tryPassivate(): boolean;
}

/** The idle are looked at no more often than a tenth of the idle time, and every 5 s at the rarest. */
const SWEEPS_PER_IDLE_TIME = 10;
const LONGEST_SWEEP_MS = 5000;

/**
 * The places of keyed actors. Each member is active (has a place), leaving (has one still, until its incarnation has
 * ended) or pending (was let in against a place that a leaving one gives up).
 * Invariants: active + leaving <= `most`; somebody is pending only while all places are taken, and then at least as many
 * leave as wait, or nobody who could leave is idle.
 */
export class Residents<R extends Resident> {
  readonly #kernel: Kernel;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #placed = new Set<R>();
  readonly #leaving = new Set<R>();
  readonly #pending = new OrderedSet<R>();
  /** Those that came to rest, the least recently active first. A hint: `tryPassivate` decides. */
  readonly #rested = new OrderedSet<R>();
  #sweep: Timer | undefined;
  #closed = false;

  constructor(kernel: Kernel, most: number, idleMs: number) {
    this.#kernel = kernel;
    this.#most = most;
    this.#idleMs = idleMs;
  }

  /** Whether `reserve` would succeed, as far as can be told without evicting anybody. */
  hasPlace(): boolean {
    return this.#placed.size < this.#most || this.#leaving.size > this.#pending.size || this.#rested.size > 0;
  }

  /** Makes sure of a place for one that enters next, by evicting an idle one if need be. False: all are busy. */
  reserve(): boolean {
    if (this.#closed) return false;
    if (this.#placed.size < this.#most) return true;
    return this.#leaving.size > this.#pending.size || this.#evict();
  }

  /** Takes a place, or waits for one. */
  enter(resident: R): void {
    this.#pending.append(resident);
    this.settle();
  }

  /** Its incarnation has ended. */
  leave(resident: R): void {
    this.#placed.delete(resident);
    this.#leaving.delete(resident);
    this.#pending.delete(resident);
    this.#rested.delete(resident);
  }

  /** Has nothing to do since now. */
  rested(resident: R): void {
    if (this.#closed || !this.#placed.has(resident)) return;
    resident.restedAt = this.#kernel.clock.now();
    this.#rested.append(resident);
    this.settle();
    this.#armSweep();
  }

  /** Gives free places to those that wait, and makes more free where there are idle ones. */
  settle(): void {
    for (let resident = this.#pending.first; resident !== undefined; resident = this.#pending.first) {
      if (this.#placed.size >= this.#most) break;
      this.#pending.delete(resident);
      this.#placed.add(resident);
      resident.activate();
    }
    while (this.#pending.size > this.#leaving.size && this.#evict());
  }

  close(): void {
    this.#closed = true;
    this.#sweep?.cancel();
    this.#rested.clear();
  }

  #evict(): boolean {
    for (let resident = this.#rested.first; resident !== undefined; resident = this.#rested.first) {
      if (this.#passivate(resident)) return true;
    }
    return false;
  }

  #passivate(resident: R): boolean {
    this.#rested.delete(resident);
    if (!resident.tryPassivate()) return false;
    this.#leaving.add(resident);
    return true;
  }

  #armSweep(): void {
    const oldest = this.#rested.first?.restedAt;
    if (this.#sweep !== undefined || oldest === undefined || this.#closed) return;
    const due = oldest + this.#idleMs - this.#kernel.clock.now();
    const coarse = Math.min(LONGEST_SWEEP_MS, this.#idleMs / SWEEPS_PER_IDLE_TIME);
    this.#sweep = this.#kernel.scheduler.setTimer(Math.max(due, coarse), () => {
      this.#sweep = undefined;
      this.#passivateIdle();
      this.#armSweep();
    });
  }

  #passivateIdle(): void {
    const latest = this.#kernel.clock.now() - this.#idleMs;
    for (let resident = this.#rested.first; resident !== undefined; resident = this.#rested.first) {
      if (resident.restedAt > latest) return;
      this.#passivate(resident);
    }
  }
}

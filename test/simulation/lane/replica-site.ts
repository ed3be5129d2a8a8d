import type { Scheduler } from '../../../actors/kernel/index.ts';
import type { TestKit } from '../../../actors/kernel/test-kit.ts';

/**
 * Where one replica runs, and what can happen to it there.
 * States: running ⇄ frozen (SIGSTOP: nothing of it runs, and it knows nothing of it), online ⇄ cut off from NATS (the target is still
 * within reach), and dead for good. Blocked: in any of these it cannot tell NATS that it is there.
 */
export class ReplicaSite {
  readonly #kit: TestKit;
  #dead = false;
  #frozen: (() => void)[] | undefined;
  #cut: (() => void)[] | undefined;
  readonly #onBlocked: (() => void)[] = [];
  readonly #onFree: (() => void)[] = [];

  constructor(kit: TestKit) {
    this.#kit = kit;
  }

  get dead(): boolean {
    return this.#dead;
  }

  get isBlocked(): boolean {
    return this.#frozen !== undefined || this.#cut !== undefined || this.#dead;
  }

  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** The kit's scheduler; what becomes due while the replica is frozen runs when it thaws, in order. */
  readonly scheduler: Scheduler = {
    yield: (task) => this.#kit.scheduler.yield(this.#gated(task)),
    setTimer: (ms, task) => {
      let cancelled = false;
      const run = this.#gated(() => {
        if (!cancelled) task();
      });
      const timer = this.#kit.scheduler.setTimer(ms, run);
      return {
        cancel: () => {
          cancelled = true;
          timer.cancel();
        },
      };
    },
  };

  /** Told when contact with NATS is lost, and when it is there again. */
  onContact(lost: () => void, back: () => void): void {
    this.#onBlocked.push(lost);
    this.#onFree.push(back);
  }

  kill(): void {
    this.#block();
    this.#dead = true;
  }

  freeze(ms: number): void {
    if (this.#frozen !== undefined || this.#dead) return;
    this.#block();
    this.#frozen = [];
    this.#kit.scheduler.setTimer(ms, () => {
      const waiting = this.#frozen ?? [];
      this.#frozen = undefined;
      this.#goOn(waiting);
    });
  }

  cutOff(ms: number): void {
    if (this.#cut !== undefined || this.#dead) return;
    this.#block();
    this.#cut = [];
    this.#kit.scheduler.setTimer(ms, () => {
      const waiting = this.#cut ?? [];
      this.#cut = undefined;
      this.#goOn(waiting);
    });
  }

  /** Resolves once NATS can be reached: what was not sent is sent then. */
  async online(): Promise<void> {
    while (this.#cut !== undefined) await new Promise<void>((resolve) => this.#cut?.push(resolve));
    await this.running();
  }

  /** Resolves once the replica runs; never when it is dead. */
  async running(): Promise<void> {
    while (this.#frozen !== undefined) await new Promise<void>((resolve) => this.#frozen?.push(resolve));
    if (this.#dead) await new Promise(() => undefined);
  }

  #gated(task: () => void): () => void {
    return () => {
      if (this.#frozen === undefined) task();
      else this.#frozen.push(task);
    };
  }

  /** Before it is blocked in one more way. */
  #block(): void {
    if (this.isBlocked) return;
    for (const told of this.#onBlocked) told();
  }

  /** One way in which it was blocked is over: what waited for that runs. */
  #goOn(waiting: readonly (() => void)[]): void {
    if (!this.isBlocked) for (const told of this.#onFree) told();
    for (const task of waiting) this.#kit.scheduler.yield(this.#gated(task));
  }
}

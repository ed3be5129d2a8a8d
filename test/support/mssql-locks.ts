import { ServerFault } from './mssql-fault.ts';

/** Thrown into a statement that waits when the client cancels it (ATTENTION) or goes away. */
export class Cancelled extends Error {}

/** Exclusive locks on objects, each held by one owner until that owner lets go of all of its own. */
export class LockTable {
  readonly #owners = new Map<string, object>();
  #waiting: (() => void)[] = [];

  /** `timeout` in milliseconds; below 0: for ever (LOCK_TIMEOUT). Error 1222 when it passes. */
  async acquire(key: string, owner: object, timeout: number, signal: AbortSignal): Promise<void> {
    const deadline = timeout < 0 ? Number.POSITIVE_INFINITY : performance.now() + timeout;
    for (;;) {
      const holder = this.#owners.get(key);
      if (holder === undefined || holder === owner) {
        this.#owners.set(key, owner);
        return;
      }
      if (signal.aborted) throw new Cancelled();
      if (performance.now() >= deadline) throw new ServerFault(1222, 'Lock request time out period exceeded.');
      await this.#change(Math.min(deadline - performance.now(), 1000), signal);
    }
  }

  releaseAll(owner: object): void {
    for (const [key, holder] of this.#owners) if (holder === owner) this.#owners.delete(key);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #change(patience: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, Math.max(patience, 1));
      function wake(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      }
      signal.addEventListener('abort', wake);
      this.#waiting.push(wake);
    });
  }
}

import type { Family, Identity, Stoppable } from './kernel.ts';
import { KernelUsageError } from './kernel-error.ts';

/** The living children of one incarnation, or of the system. */
export class Children implements Family {
  readonly prefix: string;
  readonly #children = new Map<string, Stoppable>();
  readonly #onEscalated: (child: Identity, error: unknown) => void;
  #closed = false;

  constructor(prefix: string, onEscalated: (child: Identity, error: unknown) => void) {
    this.prefix = prefix;
    this.#onEscalated = onEscalated;
  }

  get size(): number {
    return this.#children.size;
  }

  adopt(child: Stoppable): void {
    if (this.#closed) throw new KernelUsageError(`${child.name} cannot be spawned: its parent is stopping.`);
    if (this.#children.has(child.name)) {
      throw new KernelUsageError(`Actor ${child.name} is alive already: stop it first, or choose another name.`);
    }
    this.#children.set(child.name, child);
  }

  ended(child: Stoppable): void {
    if (this.#children.get(child.name) === child) this.#children.delete(child.name);
  }

  escalated(child: Identity, error: unknown): void {
    this.#onEscalated(child, error);
  }

  /** No more children from now on. */
  close(): void {
    this.#closed = true;
  }

  async stopAll(): Promise<void> {
    this.close();
    await Promise.all([...this.#children.values()].map((child) => child.stop()));
  }

  abandonAll(): readonly string[] {
    this.close();
    return [...this.#children.values()].flatMap((child) => child.abandon());
  }
}

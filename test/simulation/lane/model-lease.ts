import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import type { Lease } from '../../../streams/nats/contract.ts';
import type { ReplicaSite } from './replica-site.ts';

const RENEWED_EVERY_MS = 3_000;
const VALID_MS = 6_000;
const TAKEN_AFTER_MS = 10_000;
/** Rivals of a lease that was taken away may have it after this time. */
const REVOKED_MS = 4_000;

interface Holder {
  readonly site: ReplicaSite;
  /** When the last renewal went out that succeeded, while the holder has no contact; undefined: it renews. */
  renewedAt: number | undefined;
  valid: boolean;
  readonly lose: () => void;
}

/**
 * The lease of the one lane, with the times of the real one: renewed every 3 s, no longer valid for its holder 6 s after the last
 * renewal that succeeded, free for others after 10 s.
 */
export class ModelLease {
  readonly #kit: TestKit;
  readonly #known = new Set<ReplicaSite>();
  #holder: Holder | undefined;
  #freeAt = 0;
  #epoch = 0;
  #abandoned = false;
  #data: Readonly<Record<string, unknown>> = {};

  constructor(kit: TestKit) {
    this.#kit = kit;
  }

  take(site: ReplicaSite): Lease | undefined {
    const { clock } = this.#kit;
    const present = this.#holder;
    if (clock.now() < this.#freeAt || site.dead) return undefined;
    if (present !== undefined) {
      const { renewedAt } = present;
      if (renewedAt === undefined || clock.now() - renewedAt < TAKEN_AFTER_MS) return undefined;
      // Its holder does not know yet, and may not run at all.
      this.#end(present);
      this.#abandoned = true;
    }
    this.#watch(site);
    this.#epoch += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const holder: Holder = { site, renewedAt: undefined, valid: true, lose: resolve };
    this.#holder = holder;
    return {
      key: 'lane',
      epoch: this.#epoch,
      takenOver: this.#abandoned,
      valid: () => this.#isValid(holder),
      lost: promise.then(() => site.running()),
      data: () => this.#data,
      update: async (data) => {
        await site.online();
        if (this.#holder === holder) this.#data = data;
      },
      release: async () => {
        // Best effort: when NATS cannot be reached, rivals find out by themselves.
        if (this.#holder === holder && !site.isCut) {
          this.#holder = undefined;
          this.#abandoned = false;
        }
        holder.valid = false;
      },
    };
  }

  /** The present holder's renewals are refused: it notices first, others may take the lease some seconds later. */
  revoke(): void {
    const holder = this.#holder;
    if (holder === undefined) return;
    holder.valid = false;
    this.#holder = undefined;
    this.#abandoned = true;
    this.#freeAt = this.#kit.clock.now() + REVOKED_MS;
    this.#kit.scheduler.setTimer(Math.floor(this.#kit.random() * 2_000), holder.lose);
  }

  #isValid({ valid, renewedAt, site }: Holder): boolean {
    if (!valid || site.dead) return false;
    return renewedAt === undefined || this.#kit.clock.now() - renewedAt < VALID_MS;
  }

  #end(holder: Holder): void {
    holder.valid = false;
    if (this.#holder === holder) this.#holder = undefined;
    // A frozen one is told when it thaws.
    holder.lose();
  }

  #watch(site: ReplicaSite): void {
    if (this.#known.has(site)) return;
    this.#known.add(site);
    site.onContact(
      () => {
        const holder = this.#holder;
        if (holder?.site !== site) return;
        holder.renewedAt = this.#kit.clock.now() - Math.floor(this.#kit.random() * RENEWED_EVERY_MS);
        this.#kit.scheduler.setTimer(holder.renewedAt + VALID_MS - this.#kit.clock.now(), () => this.#expire(holder));
      },
      () => {
        const holder = this.#holder;
        if (holder?.site !== site) return;
        this.#expire(holder);
        if (holder.valid) holder.renewedAt = undefined;
      },
    );
  }

  /** Too long without a renewal: the holder gives up, and others may take the lease when their time has come. */
  #expire(holder: Holder): void {
    if (!holder.valid || this.#isValid(holder)) return;
    holder.valid = false;
    holder.lose();
  }
}

import type { ClearAsked, ClearGuard } from '../../actors/lane/lane-ports.ts';
import type { GuardStore, StoredGuard } from '../../streams/nats/guard-store.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import {
  type GuardState,
  holdsClears,
  NEW_GUARD,
  parseGuard,
  passClears,
  releasedThrough,
} from '../domain/clear-guard.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Wait before what NATS did not do is tried again. */
const RETRY_MS = 500;
/** Clears that passed and may be tried again are remembered, so that each is counted once. */
const REMEMBERED = 20_000;

interface GuardRecord {
  readonly state: GuardState;
  /** Undefined: nothing is stored yet. */
  readonly revision: number | undefined;
}

export interface ClearGuardsOptions {
  readonly store: GuardStore;
  readonly metrics: Pick<Metrics, 'guard'>;
  readonly log: Log;
  /** Some channel has begun to hold, or no longer does. */
  readonly onChange: () => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * The guards of all channels as this replica knows them. The truth lies in the control bucket, where every clear is counted before it is
 * sent; so the count is that of the whole service, and outlasts every owner.
 */
export class ClearGuards {
  readonly #options: ClearGuardsOptions;
  readonly #now: () => number;
  readonly #records = new Map<string, GuardRecord>();
  /** Channels whose record here is not what stands in the store, or may not be. */
  readonly #outdated = new Set<string>();
  readonly #counted = new Set<string>();

  constructor(options: ClearGuardsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Takes up what the store tells of all channels. */
  take(stored: ReadonlyMap<string, StoredGuard>): void {
    for (const [channel, { value, revision }] of stored) {
      const known = this.#records.get(channel)?.revision ?? 0;
      // What was written here since is newer than what was told.
      if (revision > known) this.#keep(channel, { state: parseGuard(value), revision });
    }
  }

  /** Channels that hold their clears on a target → up to which sequence of CHANGES clears are released. */
  holding(target: string): ReadonlyMap<string, number> {
    const held = new Map<string, number>();
    for (const [channel, { state }] of this.#records)
      if (holdsClears(state, target)) held.set(channel, releasedThrough(state, target));
    return held;
  }

  /** The guard as one lane asks it; `valid` is false once the lane is no longer held. */
  of(target: string, valid: () => boolean): ClearGuard {
    return {
      pass: async (clears) => {
        const passing = new Set<ClearAsked>();
        for (const [channel, asked] of Map.groupBy(clears, (clear) => clear.channel.name)) {
          const idOf = ({ id }: ClearAsked): string => `${target} ${id}`;
          for (const clear of asked) if (this.#counted.has(idOf(clear))) passing.add(clear);
          const fresh = asked.filter((clear) => !passing.has(clear));
          const passes = fresh.length === 0 ? [] : await this.#pass(channel, target, fresh, valid);
          for (const [index, clear] of fresh.entries()) {
            if (passes[index] !== true) continue;
            passing.add(clear);
            this.#remember(idOf(clear));
          }
        }
        return clears.map((clear) => passing.has(clear));
      },
    };
  }

  async #pass(
    channel: string,
    target: string,
    clears: readonly ClearAsked[],
    valid: () => boolean,
  ): Promise<readonly boolean[]> {
    const limit = clears[0]?.channel.guard;
    if (limit === undefined) return clears.map(() => true);
    const sequences = clears.map(({ sequence }) => sequence);
    for (;;) {
      try {
        const known = this.#outdated.has(channel) ? undefined : this.#records.get(channel);
        const record = known ?? (await this.#read(channel));
        const { state, passes } = passClears(record.state, limit, { target, sequences, now: this.#now() });
        if (state !== record.state) {
          const revision = await this.#options.store.write(channel, JSON.stringify(state), record.revision);
          this.#keep(channel, { state, revision });
        }
        return passes;
      } catch (error) {
        if (!(error instanceof StreamError)) throw error;
        // Somebody else wrote, or it is unknown whether we did: begin anew from what stands there.
        this.#outdated.add(channel);
        if (error.code === 'conflict') continue;
        if (!valid()) return clears.map(() => false);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #read(channel: string): Promise<GuardRecord> {
    const stored = await this.#options.store.read(channel);
    const record =
      stored === undefined
        ? { state: NEW_GUARD, revision: undefined }
        : { state: parseGuard(stored.value), revision: stored.revision };
    this.#keep(channel, record);
    return record;
  }

  #keep(channel: string, record: GuardRecord): void {
    const before = this.#records.get(channel)?.state ?? NEW_GUARD;
    this.#records.set(channel, record);
    this.#outdated.delete(channel);
    const { holding, free } = record.state;
    this.#options.metrics.guard(channel, holding !== undefined);
    if (holding !== undefined && before.holding === undefined) {
      this.#options.log.error(
        { channel, target: holding.by, since: new Date(holding.since).toISOString() },
        `the channel would clear more than its guard allows: its clears wait; look at them, then: backflow release "${channel}"`,
      );
    } else if (holding === undefined && before.holding !== undefined) {
      this.#options.log.info({ channel }, 'the clears of the channel were released');
    }
    if (holding?.since !== before.holding?.since || free.join() !== before.free.join()) this.#options.onChange();
  }

  #remember(id: string): void {
    this.#counted.add(id);
    if (this.#counted.size <= REMEMBERED) return;
    const [oldest] = this.#counted;
    if (oldest !== undefined) this.#counted.delete(oldest);
  }
}

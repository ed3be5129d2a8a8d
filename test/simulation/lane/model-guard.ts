import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import type { ClearAsked, ClearGuard } from '../../../actors/lane/lane-ports.ts';
import type { ChannelHolds } from '../../../src/channels/channel-holds.ts';
import { type GuardState, NEW_GUARD, passClears, releaseClears } from '../../../src/domain/clear-guard.ts';
import { TARGET } from './catalogue-content.ts';
import type { ReplicaSite } from './replica-site.ts';

/** So long after a channel began to hold somebody has looked at it. */
const RELEASED_AFTER_MS = 20_000;
/** So long it takes until every replica knows what is held. */
const TOLD_AFTER_MS = 50;

/** The guards and pauses of the channels as all replicas share them. What is held is released some time later. */
export class ModelGuard {
  readonly #kit: TestKit;
  readonly #lastSequence: () => number;
  readonly #tell: (holds: ChannelHolds) => void;
  readonly #states = new Map<string, GuardState>();
  readonly #counted = new Set<string>();
  #paused: ReadonlySet<string> = new Set();
  /** How often a clear had to wait. */
  refused = 0;

  constructor(kit: TestKit, lastSequence: () => number, tell: (holds: ChannelHolds) => void) {
    this.#kit = kit;
    this.#lastSequence = lastSequence;
    this.#tell = tell;
  }

  holds(): ChannelHolds {
    const holding = [...this.#states].filter(([, state]) => state.holding !== undefined);
    return { paused: this.#paused, guarded: new Map(holding.map(([channel, state]) => [channel, state.releasedAll])) };
  }

  pause(channels: readonly string[]): void {
    this.#paused = new Set(channels);
    this.#tell(this.holds());
  }

  /** The guard as a replica asks it. */
  of(site: ReplicaSite): ClearGuard {
    return {
      pass: async (clears) => {
        await this.#kit.sleep(5);
        await site.online();
        return clears.map((clear) => this.#passes(clear));
      },
    };
  }

  #passes({ id, channel, sequence }: ClearAsked): boolean {
    if (channel.guard === undefined || this.#counted.has(id)) return true;
    const before = this.#states.get(channel.name) ?? NEW_GUARD;
    const asked = { target: TARGET, sequences: [sequence], now: this.#kit.clock.now() };
    const { state, passes } = passClears(before, channel.guard, asked);
    this.#states.set(channel.name, state);
    if (before.holding === undefined && state.holding !== undefined) this.#releaseLater(channel.name);
    if (passes[0] === true) {
      this.#counted.add(id);
      return true;
    }
    this.refused += 1;
    return false;
  }

  #releaseLater(channel: string): void {
    const { scheduler } = this.#kit;
    scheduler.setTimer(TOLD_AFTER_MS, () => this.#tell(this.holds()));
    scheduler.setTimer(RELEASED_AFTER_MS, () => {
      this.#states.set(channel, releaseClears(this.#states.get(channel) ?? NEW_GUARD, this.#lastSequence()));
      this.#tell(this.holds());
    });
  }
}

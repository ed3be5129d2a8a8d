import type { Subscription } from 'rxjs';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { createControlStore, type Pauses } from '../../streams/nats/control-store.ts';
import { createGuardStore, type GuardStore } from '../../streams/nats/guard-store.ts';
import type { ChannelHolds } from '../channels/channel-holds.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ClearGuards } from './clear-guards.ts';

export interface ChannelControlsOptions {
  readonly link: NatsLink;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What holds channels back on this replica: their guards, and the pauses that an operator sets. */
export class ChannelControls {
  readonly guards: ClearGuards;
  readonly #store: GuardStore;
  readonly #pauses: Pauses;
  #paused: ReadonlySet<string> = new Set();
  #onChange: () => void = () => undefined;

  constructor({ link, metrics, log }: ChannelControlsOptions) {
    this.#store = createGuardStore(link);
    this.#pauses = createControlStore(link).channels;
    const onChange = (): void => this.#onChange();
    this.guards = new ClearGuards({ store: this.#store, metrics, log, onChange });
  }

  holds(target: string): ChannelHolds {
    return { paused: this.#paused, guarded: this.guards.holding(target) };
  }

  /** Looks once at what holds; to be done before anything is written. */
  async read(): Promise<void> {
    const [stored, paused] = await Promise.all([this.#store.all(), this.#pauses.paused()]);
    this.guards.take(stored);
    this.#paused = new Set(paused.keys());
  }

  /** Follows what operators and other replicas do. `onChange`: something is held that was not, or no longer is. */
  follow(onChange: () => void): Subscription {
    this.#onChange = onChange;
    const following = this.#store.watch().subscribe((stored) => this.guards.take(stored));
    following.add(
      this.#pauses.watchPaused().subscribe((paused) => {
        this.#paused = new Set(paused.keys());
        onChange();
      }),
    );
    return following;
  }
}

import type { Channel } from '../channels/channel.ts';
import type { Json } from '../domain/json.ts';

/** A target as configured; the connection still holds its `${…}` references, which are resolved when it is opened. */
export interface TargetConfig {
  /** The service's name in OpenMetadata; also the target's name. */
  readonly service: string;
  /** Name of the connector that serves it (from the connection's `type`). */
  readonly connector: string;
  readonly connection: Json;
  readonly rate: {
    readonly perSecond: number;
    readonly burst: number;
    readonly concurrency: number;
    readonly batch: number;
  };
  readonly paused: boolean;
  readonly partitions: number;
}

/** Identity in the catalogue → principal in the source. */
export interface OwnerRules {
  readonly map: ReadonlyMap<string, string>;
  /** `role`: a team is looked up in the map like a user; `skip`: teams never become owners. */
  readonly team: 'role' | 'skip';
  /** What to do with several owners: write the first that maps, or skip. */
  readonly multiple: 'first' | 'skip';
}

/** One immutable revision of the configuration, compiled and checked as a whole. */
export interface CompiledConfig {
  readonly revision: number;
  /** Hash of the source text it was made from. */
  readonly hash: string;
  readonly targets: ReadonlyMap<string, TargetConfig>;
  /** Channels that may write to this target, highest priority first. */
  channelsOf(target: string): readonly Channel[];
  readonly channels: readonly Channel[];
  readonly owners: OwnerRules;
  readonly ignoreUsers: ReadonlySet<string>;
}

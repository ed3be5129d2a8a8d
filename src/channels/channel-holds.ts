import { type Operation, takesAway } from '../domain/operation.ts';
import type { Channel } from './channel.ts';

/** Why a field that a channel would write waits for a person. `guard`: it would be cleared, and the channel has cleared too much. */
export type HoldReason = 'guard' | 'paused';

/** What channels hold back on one target at present. */
export interface ChannelHolds {
  /** Nothing of these channels is written. */
  readonly paused: ReadonlySet<string>;
  /** Nothing is cleared by these channels → except for what comes from a change up to this sequence of CHANGES. */
  readonly guarded: ReadonlyMap<string, number>;
}

export const NO_HOLDS: ChannelHolds = { paused: new Set(), guarded: new Map() };

/** Why what the channel makes of a change (its sequence in CHANGES) is not written now; undefined: it may be. */
export function holdOf(
  holds: ChannelHolds,
  channel: Channel,
  operation: Operation,
  sequence: number,
): HoldReason | undefined {
  if (holds.paused.has(channel.name)) return 'paused';
  if (!isGuarded(channel) || !takesAway(operation)) return undefined;
  const through = holds.guarded.get(channel.name);
  return through === undefined || sequence <= through ? undefined : 'guard';
}

/** A channel that only observes clears nothing. */
export function isGuarded(channel: Channel): boolean {
  return channel.guard !== undefined && channel.mode === 'write';
}

import type { Aspect, Level } from '../domain/entity.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Channel, Filter } from './channel.ts';
import { decidingClause } from './explain-filter.ts';

/**
 * What a channel does about one aspect of one object.
 * - `writes`: at most one of the channels. `removalsOnly`: the filter was true before the change and no longer is, so the
 *   channel only takes away what the change took away (a removed tag that the filter itself asked for).
 * - `shadowed`: its filter is (or, for removals, was) true too, but the channel `by` writes.
 * - `filter-false`: `reason` names the clause that decided.
 * `inDoubt`: the filter reads tags and the state carries none, so it was answered as if there were none.
 */
export type ChannelAnswer =
  | { readonly kind: 'writes'; readonly removalsOnly: boolean; readonly inDoubt: boolean }
  | { readonly kind: 'shadowed'; readonly by: string; readonly inDoubt: boolean }
  | { readonly kind: 'filter-false'; readonly reason: string; readonly inDoubt: boolean };

/** Order among channels: higher priority first, then by name (code units, the same on every machine). */
export function compareChannels(a: Channel, b: Channel): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Whether the channel's switches and levels include the aspect at this level. */
export function manages(channel: Channel, aspect: Aspect, level: Level): boolean {
  return channel.update.has(aspect) && channel.levels.has(level);
}

/** The filter read tags that the state does not carry. */
export function filterInDoubt(filter: Filter, state: Snapshot): boolean {
  return filter.needsTags && state.tags === undefined;
}

/** True where a change brought the entity into the channel: its filter was false before and is true now. */
export function entersChannel(channel: Channel, state: Snapshot, before: Snapshot | undefined): boolean {
  return before !== undefined && channel.filter.matches(state) && !channel.filter.matches(before);
}

/**
 * Answers for each of the channels that manage the aspect, in the order given, which has to be that of `compareChannels`.
 * `before`: the states before each of the changes, where they are known; they keep a channel concerned with the tags that a change
 * removes.
 */
export function chooseChannels(
  channels: readonly Channel[],
  state: Snapshot,
  before: readonly Snapshot[] | undefined,
  aspect: Aspect,
): readonly ChannelAnswer[] {
  const judged = channels.map((channel) => {
    const now = channel.filter.matches(state);
    const leaves = !now && aspect === 'tags' && (before ?? []).some((state) => channel.filter.matches(state));
    return { channel, now, leaves, inDoubt: filterInDoubt(channel.filter, state) };
  });
  // A channel that is true now also takes away what was removed; one that is left has to do it only where there is none.
  const writer = judged.find(({ now }) => now) ?? judged.find(({ leaves }) => leaves);
  return judged.map((one): ChannelAnswer => {
    const { channel, now, leaves, inDoubt } = one;
    if (one === writer) return { kind: 'writes', removalsOnly: leaves, inDoubt };
    if (writer !== undefined && (now || leaves)) return { kind: 'shadowed', by: writer.channel.name, inDoubt };
    return { kind: 'filter-false', reason: falseReason(channel.filter, state, inDoubt), inDoubt };
  });
}

function falseReason(filter: Filter, state: Snapshot, inDoubt: boolean): string {
  const clause = `the filter is false: ${decidingClause(filter.explain(state))}`;
  return inDoubt ? `${clause} (the event does not carry the tags of the entity)` : clause;
}

import type { Channel } from '../../../src/channels/channel.ts';
import type { CompiledConfig } from '../../../src/config/compiled.ts';
import type { Aspect } from '../../../src/domain/entity.ts';
import { BOT, SENSITIVE, TARGET } from './catalogue-content.ts';

/** The filter of one label, as compiled from JsonLogic; it is in doubt where the tags are not known. */
const HAS_LABEL: Channel['filter'] = {
  matches: (state) => state.tags?.some(({ tagFQN }) => tagFQN === SENSITIVE) ?? false,
  explain: (state) => ({ clause: SENSITIVE, result: HAS_LABEL.matches(state), children: [] }),
  needsTags: true,
};
const ALL: Channel['filter'] = {
  matches: () => true,
  explain: () => ({ clause: 'true', result: true, children: [] }),
  needsTags: false,
};

/**
 * The two kinds of configuration of a run, and the one that comes into force in the middle of it.
 * `shadowed`: two channels want the same, the lower one of them is removed. `filtered`: descriptions are written for all, tags and
 * owners only where the table bears the label. `guarded`: a channel may clear one field in 30 s.
 */
export function configurations(filtered: boolean, guarded = false): readonly [CompiledConfig, CompiledConfig] {
  const channel = (...of: Parameters<typeof unguarded>): Channel => ({
    ...unguarded(...of),
    ...(guarded ? { guard: { clears: 1, perMs: 30_000 } } : {}),
  });
  if (filtered) {
    const channels = [
      channel('labelled', 20, ['tags', 'owners'], HAS_LABEL),
      channel('docs', 10, ['description'], ALL),
    ];
    return [configuration(1, channels), configuration(2, channels)];
  }
  const docs = channel('docs', 10, ['description', 'tags', 'owners'], ALL);
  const extra = channel('extra', 1, ['description', 'tags', 'owners'], ALL);
  return [configuration(1, [docs, extra]), configuration(2, [docs])];
}

/** The channel that has to record exactly one outcome for a key of this aspect. */
export function channelOf(aspect: string, filtered: boolean): string {
  return filtered && aspect !== 'description' ? 'labelled' : 'docs';
}

function unguarded(name: string, priority: number, update: readonly Aspect[], filter: Channel['filter']): Channel {
  return {
    name,
    priority,
    mode: 'write',
    filter,
    update: new Set(update),
    levels: new Set(['table', 'column']),
    onDrift: 'overwrite',
    descriptionFormat: 'as-is',
    templates: [],
    acceptRace: false,
  };
}

function configuration(revision: number, channels: readonly Channel[]): CompiledConfig {
  const target = {
    service: TARGET,
    connector: 'memory',
    connection: {},
    rate: { perSecond: 100, burst: 100, concurrency: 1, batch: 4 },
    paused: false,
    partitions: 1,
  };
  return {
    revision,
    hash: String(revision),
    targets: new Map([[TARGET, target]]),
    channelsOf: () => channels,
    channels,
    owners: {
      map: new Map([
        ['ana', 'role_ana'],
        ['ben', 'role_ben'],
      ]),
      team: 'role',
      multiple: 'first',
    },
    ignoreUsers: new Set([BOT]),
  };
}

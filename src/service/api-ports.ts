import { z } from 'zod';
import type { Connector } from '../../connectors/contract.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { createControlStore } from '../../streams/nats/control-store.ts';
import type { ApiPorts, Pausable } from '../api/ports.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import type { Json } from '../domain/json.ts';
import { connectorRow } from './connector-list.ts';
import { explainAsset } from './explain.ts';
import { readDeadLetters, readRuns } from './history.ts';
import type { LaneManager } from './lane-manager.ts';
import { releaseChannel } from './release-channel.ts';

export interface ApiSources {
  readonly link: NatsLink;
  readonly lanes: LaneManager;
  readonly config: () => CompiledConfig | undefined;
  readonly connectors: readonly Connector[];
}

/** What the API shows and does, from the streams and the lanes of this replica. */
export function apiPorts({ link, lanes, config, connectors }: ApiSources): ApiPorts {
  const controls = createControlStore(link);
  const hasTarget = (name: string): boolean => config()?.targets.has(name) ?? false;
  const hasChannel = (name: string): boolean => config()?.channels.some((channel) => channel.name === name) ?? false;
  /** Whose pauses are meant; undefined: nothing of that name is configured. */
  const pausesOf = (what: Pausable) => {
    if ('target' in what) return hasTarget(what.target) ? { pauses: controls, name: what.target } : undefined;
    return hasChannel(what.channel) ? { pauses: controls.channels, name: what.channel } : undefined;
  };
  return {
    lanes: async () => toJson(await lanes.rows()),
    runs: async (query) => toJson(await readRuns(link, query)),
    explain: async (fqn) => {
      const current = config();
      const explanation = current === undefined ? undefined : await explainAsset(link, current, fqn);
      return explanation === undefined ? undefined : toJson(explanation);
    },
    connectors: async () => toJson(connectors.map(connectorRow)),
    deadLetters: async (query) => toJson(await readDeadLetters(link, query)),
    pause: async ({ reason, ...what }) => {
      const found = pausesOf(what);
      if (found === undefined) return undefined;
      const note = { by: 'api', at: Date.now(), ...(reason === undefined ? {} : { reason }) };
      await found.pauses.pause(found.name, JSON.stringify(note));
      return toJson({ ...what, paused: true, ...note });
    },
    resume: async (what) => {
      const found = pausesOf(what);
      if (found === undefined) return undefined;
      const wasPaused = (await found.pauses.paused()).has(found.name);
      await found.pauses.resume(found.name);
      const byConfig = 'target' in what && config()?.targets.get(what.target)?.paused === true;
      return toJson({ ...what, paused: byConfig, wasPaused });
    },
    release: async ({ channel, target }) => {
      if (!hasChannel(channel) || (target !== undefined && !hasTarget(target))) return undefined;
      return toJson(await releaseChannel(link, channel, target));
    },
  };
}

const json = z.json();

/** Plain data as JSON; members that are undefined disappear, as in every JSON text. */
function toJson(value: unknown): Json {
  return json.parse(JSON.parse(JSON.stringify(value)));
}

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
import { pausesOf, pauseWriting, resumeWriting } from './pause-writing.ts';
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
  const isConfigured = (what: Pausable): boolean =>
    'target' in what ? hasTarget(what.target) : hasChannel(what.channel);
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
      if (!isConfigured(what)) return undefined;
      return toJson(await pauseWriting(what, controls, 'api', reason));
    },
    resume: async (what) => {
      if (!isConfigured(what)) return undefined;
      const before = await pausesOf(what, controls).pauses.paused();
      return toJson(await resumeWriting(what, controls, before, config()));
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

import { z } from 'zod';
import type { Connector } from '../../connectors/contract.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import type { Json } from '../domain/json.ts';
import { connectorRow } from './connector-list.ts';
import { explainAsset } from './explain.ts';
import { readDeadLetters, readRuns } from './history.ts';
import type { LaneManager } from './lane-manager.ts';

export interface ApiSources {
  readonly link: NatsLink;
  readonly lanes: LaneManager;
  readonly config: () => CompiledConfig | undefined;
  readonly connectors: readonly Connector[];
}

/** What the read-only API shows, from the streams and the lanes of this replica. */
export function apiPorts({ link, lanes, config, connectors }: ApiSources): ApiPorts {
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
  };
}

const json = z.json();

/** Plain data as JSON; members that are undefined disappear, as in every JSON text. */
function toJson(value: unknown): Json {
  return json.parse(JSON.parse(JSON.stringify(value)));
}

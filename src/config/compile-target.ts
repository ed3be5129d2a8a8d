import type { Connector, ConnectorSpec } from '../../connectors/contract.ts';
import { checkConnection } from './check-connection.ts';
import type { TargetConfig } from './compiled.ts';
import { suggestion } from './did-you-mean.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';
import type { TargetDocument } from './schema.ts';

/** The connectors that there are; the registry of the connectors is one. */
export interface ConnectorLookup {
  /** By OpenMetadata's service type (`Postgres`). */
  connectorFor(serviceType: string): Pick<Connector, 'spec'> | undefined;
  allConnectors(): readonly Pick<Connector, 'spec'>[];
}

/** A target that is ready, with what its connector is. */
export interface CompiledTarget {
  readonly config: TargetConfig;
  readonly spec: ConnectorSpec;
  /** The service types that its changes may carry. */
  readonly serviceTypes: readonly string[];
}

/** Compiles a target; undefined when it has a problem, which is then reported. */
export function compileTarget(
  document: TargetDocument,
  connectors: ConnectorLookup,
  place: ConfigPath,
  report: (problem: ConfigProblem) => void,
): CompiledTarget | undefined {
  const { type } = document.connection;
  const at = [...place, 'connection'];
  const known = connectors.allConnectors().flatMap(({ spec }) => spec.serviceTypes);
  if (typeof type !== 'string') {
    const hint = `write the service type of OpenMetadata: ${known.join(', ')}`;
    report({ path: type === undefined ? at : [...at, 'type'], message: 'the connection needs a "type"', hint });
    return undefined;
  }
  const spec = connectors.connectorFor(type)?.spec;
  if (spec === undefined) {
    const message = `there is no connector for the service type ${JSON.stringify(type)}`;
    report({ path: [...at, 'type'], message, hint: suggestion(type, known, 'known service types') });
    return undefined;
  }
  const problems = checkConnection(document.connection, spec.config, at);
  for (const problem of problems) report(problem);
  if (problems.length > 0) return undefined;
  return {
    config: {
      service: document.service,
      connector: spec.name,
      connection: document.connection,
      rate: rateOf(document.rateLimit, spec.rate),
      paused: document.paused ?? false,
      partitions: document.partitions ?? 1,
    },
    spec,
    serviceTypes: [...new Set([type, ...spec.serviceTypes])],
  };
}

/** What is not configured comes from the connector. A burst is never below what one second allows. */
function rateOf(limit: TargetDocument['rateLimit'], defaults: ConnectorSpec['rate']): TargetConfig['rate'] {
  const perSecond = limit?.perSecond ?? defaults.perSecond;
  const ownBurst = limit?.perSecond === undefined ? defaults.burst : Math.max(1, Math.ceil(perSecond));
  return {
    perSecond,
    burst: limit?.burst ?? ownBurst,
    concurrency: limit?.concurrency ?? defaults.concurrency,
    batch: limit?.batch ?? defaults.batch,
  };
}

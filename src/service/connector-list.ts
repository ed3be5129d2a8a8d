import type { Connector } from '../../connectors/contract.ts';

/** One connector as `backflow connectors --json` and the API list it. */
export function connectorRow({ spec }: Connector) {
  return {
    connector: spec.name,
    serviceTypes: spec.serviceTypes,
    sink: spec.sink,
    abilities: spec.abilities,
    limits: spec.limits,
    rateLimit: { perSecond: spec.rate.perSecond, burst: spec.rate.burst },
    concurrency: spec.rate.concurrency,
    batch: spec.rate.batch,
    ...(spec.optIn === undefined ? {} : { optIn: spec.optIn }),
  };
}

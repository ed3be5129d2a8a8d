import type { Connector } from '../contract.ts';
import type { TrinoConfig } from './config.ts';
import { openTrino } from './connection.ts';
import { planTrino } from './plan.ts';
import { trinoSpec } from './spec.ts';

export const trinoConnector: Connector<TrinoConfig> = {
  spec: trinoSpec,
  open: (config, session) => openTrino(config, session),
  plan: planTrino,
};

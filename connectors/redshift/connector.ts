import type { Connector } from '../contract.ts';
import type { RedshiftConfig } from './config.ts';
import { openRedshift } from './connection.ts';
import { planRedshift } from './plan.ts';
import { redshiftSpec } from './spec.ts';

export const redshiftConnector: Connector<RedshiftConfig> = {
  spec: redshiftSpec,
  open: (config, session) => openRedshift(config, session),
  plan: planRedshift,
};

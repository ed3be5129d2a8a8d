import type { Connector } from '../contract.ts';
import type { PostgresConfig } from './config.ts';
import { openPostgres } from './connection.ts';
import { planPostgres } from './plan.ts';
import { postgresSpec } from './spec.ts';

export const postgresConnector: Connector<PostgresConfig> = {
  spec: postgresSpec,
  open: openPostgres,
  plan: planPostgres,
};

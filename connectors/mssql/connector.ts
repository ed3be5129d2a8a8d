import type { Connector } from '../contract.ts';
import type { MssqlConfig } from './config.ts';
import { openMssql } from './connection.ts';
import { planMssql } from './plan.ts';
import { mssqlSpec } from './spec.ts';

export const mssqlConnector: Connector<MssqlConfig> = {
  spec: mssqlSpec,
  open: openMssql,
  plan: planMssql,
};

import type { Connector } from '../contract.ts';
import type { OracleConfig } from './config.ts';
import { openOracle } from './connection.ts';
import { planOracle } from './plan.ts';
import { oracleSpec } from './spec.ts';

export const oracleConnector: Connector<OracleConfig> = {
  spec: oracleSpec,
  open: (config, session) => openOracle(config, session),
  plan: planOracle,
};

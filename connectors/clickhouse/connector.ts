import type { Connector } from '../contract.ts';
import type { ClickhouseConfig } from './config.ts';
import { openClickhouse } from './connection.ts';
import { planClickhouse } from './plan.ts';
import { clickhouseSpec } from './spec.ts';

export const clickhouseConnector: Connector<ClickhouseConfig> = {
  spec: clickhouseSpec,
  open: openClickhouse,
  plan: planClickhouse,
};

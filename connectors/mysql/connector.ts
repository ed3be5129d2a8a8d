import type { Connector } from '../contract.ts';
import type { MysqlConfig } from './config.ts';
import { openMysql } from './connection.ts';
import { planMysql } from './plan.ts';
import { mysqlSpec } from './spec.ts';

export const mysqlConnector: Connector<MysqlConfig> = {
  spec: mysqlSpec,
  open: (config, session) => openMysql(config, session),
  plan: planMysql,
};

import { clickhouseConnector } from './clickhouse/connector.ts';
import type { Connector } from './contract.ts';
import { mssqlConnector } from './mssql/connector.ts';
import { mysqlConnector } from './mysql/connector.ts';
import { oracleConnector } from './oracle/connector.ts';
import { postgresConnector } from './postgres/connector.ts';
import { redshiftConnector } from './redshift/connector.ts';
import { trinoConnector } from './trino/connector.ts';

/** One line per system. Drivers are loaded by `open`, so that listing connectors costs nothing. */
const CONNECTORS: readonly Connector[] = [
  postgresConnector,
  mysqlConnector,
  redshiftConnector,
  clickhouseConnector,
  mssqlConnector,
  trinoConnector,
  oracleConnector,
];

/** All connectors, in the order in which they are listed to people. */
export function allConnectors(): readonly Connector[] {
  return CONNECTORS;
}

/** The connector of this name (`postgres`) or that serves this OpenMetadata service type (`Postgres`); case does not matter. */
export function connectorFor(nameOrServiceType: string): Connector | undefined {
  const wanted = nameOrServiceType.toLowerCase();
  return CONNECTORS.find(
    ({ spec }) => spec.name === wanted || spec.serviceTypes.some((type) => type.toLowerCase() === wanted),
  );
}

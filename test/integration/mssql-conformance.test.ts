import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import { startMssqlHarness } from '../support/mssql-harness.ts';

conformanceSuite('a TDS peer with a model of SQL Server', mssqlConnector, startMssqlHarness);

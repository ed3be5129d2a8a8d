import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import { startOracleModel } from '../support/oracle-harness.ts';

conformanceSuite('oracle on a model of a database', oracleConnector, async () => startOracleModel());

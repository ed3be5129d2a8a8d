import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import { startOracleModel } from '../support/oracle-harness.ts';
import { startOwnOracle } from '../support/oracle-own-server.ts';

conformanceSuite('oracle on a model of a database', oracleConnector, async () => startOracleModel());

const own = process.env.BACKFLOW_TEST_ORACLE_URL;
if (own !== undefined && own !== '') {
  conformanceSuite('the Oracle of BACKFLOW_TEST_ORACLE_URL', oracleConnector, () => startOwnOracle(own));
}

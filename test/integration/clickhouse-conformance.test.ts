import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { startClickhouseHarness } from '../support/clickhouse-harness.ts';
import { startOwnClickhouse } from '../support/clickhouse-own-server.ts';

conformanceSuite('ClickHouse 26.7', clickhouseConnector, () => startClickhouseHarness());

const own = process.env.BACKFLOW_TEST_CLICKHOUSE_URL;
if (own !== undefined && own !== '') {
  conformanceSuite('the ClickHouse of BACKFLOW_TEST_CLICKHOUSE_URL', clickhouseConnector, () =>
    startOwnClickhouse(own),
  );
}

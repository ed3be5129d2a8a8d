import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { startClickhouseHarness } from '../support/clickhouse-harness.ts';

conformanceSuite('ClickHouse 26.7', clickhouseConnector, () => startClickhouseHarness());

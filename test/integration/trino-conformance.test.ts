import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { trinoConnector } from '../../connectors/trino/connector.ts';
import { startTrinoHarness } from '../support/trino-harness.ts';

conformanceSuite('Trino (a model of 476)', trinoConnector, () => startTrinoHarness());

import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import { startRedshiftHarness } from '../support/redshift-harness.ts';

// The other way of reading backslashes is in test/property/redshift-engine.test.ts.
conformanceSuite('Redshift', redshiftConnector, () => startRedshiftHarness('escape'));

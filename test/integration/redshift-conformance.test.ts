import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import { startRedshiftHarness } from '../support/redshift-harness.ts';
import { startOwnCluster, withoutDatabases } from '../support/redshift-own-cluster.ts';

// The other way of reading backslashes is in test/property/redshift-engine.test.ts.
conformanceSuite('Redshift', redshiftConnector, () => startRedshiftHarness('escape'));

const ownCluster = process.env.BACKFLOW_TEST_REDSHIFT_URL;
if (ownCluster !== undefined && ownCluster !== '') {
  conformanceSuite('your own Redshift', withoutDatabases, () => startOwnCluster(ownCluster));
}

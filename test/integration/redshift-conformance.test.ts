import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import { startRedshiftHarness } from '../support/redshift-harness.ts';

conformanceSuite('Redshift whose backslash is an escape', redshiftConnector, () => startRedshiftHarness('escape'));
conformanceSuite('Redshift whose backslash is a character', redshiftConnector, () => startRedshiftHarness('literal'));

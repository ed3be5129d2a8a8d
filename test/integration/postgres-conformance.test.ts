import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import { startPostgresHarness } from '../support/postgres-harness.ts';

conformanceSuite('PostgreSQL 18', postgresConnector, () => startPostgresHarness());
conformanceSuite('PostgreSQL 18 with standard_conforming_strings off', postgresConnector, () =>
  startPostgresHarness({ standard_conforming_strings: 'off' }),
);

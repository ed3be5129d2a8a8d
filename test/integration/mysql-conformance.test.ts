import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import { startMysqlHarness } from '../support/mysql-harness.ts';

conformanceSuite('MariaDB 10.11', mysqlConnector, () => startMysqlHarness());
conformanceSuite('MariaDB 10.11 with ANSI_QUOTES and NO_BACKSLASH_ESCAPES', mysqlConnector, () =>
  startMysqlHarness('--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES'),
);

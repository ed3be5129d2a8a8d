import type { Connection, SessionName } from '../contract.ts';
import { DatabasePools } from '../postgres-wire/database-pools.ts';
import { openWire } from '../postgres-wire/wire-connection.ts';
import { checkServer } from './check.ts';
import type { PostgresConfig } from './config.ts';
import { postgresErrors } from './errors.ts';
import { endOlderSessions } from './fence.ts';
import { readObjects } from './read.ts';
import { postgresSpec } from './spec.ts';
import { writeAll } from './write.ts';

/** The answer may take longer than the statement timeout of 30 s. */
const RULES = { errors: postgresErrors, connectMs: 10_000, answerMs: 45_000 };

/** Connects once, so that wrong credentials and addresses show at once. Throws `ConnectorError`. */
export function openPostgres(config: PostgresConfig, name: SessionName): Promise<Connection> {
  const pools = new DatabasePools(config, name, RULES);
  return openWire(config, pools, {
    nameBytes: postgresSpec.dialect.identifier.max,
    read: readObjects,
    write: writeAll,
    check: (objects) => checkServer(config, pools, objects),
    beforeFirstUse: (session) => endOlderSessions(session, name),
  });
}

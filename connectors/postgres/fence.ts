import type { SessionName } from '../contract.ts';
import { olderSessionStays } from '../lane-lost.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import { epochOf } from '../postgres-wire/session-name.ts';
import { connectorErrorOf } from './errors.ts';

const OTHERS = `
SELECT pid, application_name FROM pg_catalog.pg_stat_activity
WHERE usename = current_user AND pid <> pg_catalog.pg_backend_pid() AND application_name LIKE 'backflow/%'`;

/** How often the server is asked whether the ended sessions are gone, 50 ms apart. */
const ROUNDS = 100;

/**
 * Ends sessions that earlier owners of the same lane left behind (they have a lower epoch), and waits until they are gone, so
 * that no write of theirs can come after what we read or write. Sessions of the same role may be ended without further privileges.
 */
export async function endOlderSessions(session: Session, name: SessionName): Promise<void> {
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { rows } = await session.query<{ pid: number; application_name: string }>(OTHERS);
      const older = rows.filter((row) => {
        const epoch = epochOf(name, row.application_name);
        return epoch !== undefined && epoch < name.epoch;
      });
      if (older.length === 0) return;
      await session.query(
        'SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.unnest($1::int[]) AS old (pid)',
        [older.map(({ pid }) => pid)],
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw olderSessionStays();
  } catch (error) {
    throw connectorErrorOf(error, 'statement');
  }
}

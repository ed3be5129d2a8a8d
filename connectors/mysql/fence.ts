import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import type { Session } from './session.ts';
import { lanePrefix } from './session-name.ts';

const OTHERS = `SELECT processlist_id AS id, attr_value AS name FROM performance_schema.session_account_connect_attrs
  WHERE attr_name = 'program_name' AND attr_value LIKE 'backflow/%' AND processlist_id <> CONNECTION_ID()`;

const otherRow = z.object({ id: z.coerce.number().int().positive(), name: z.string() });

/** How often the server is asked whether the ended sessions are gone, 50 ms apart. */
const ROUNDS = 100;

/**
 * Ends sessions that earlier owners of the same lane left behind (they have a lower epoch), and waits until they are gone, so that no
 * write of theirs can come after ours. Works where the server's performance_schema is on: MySQL's default, not MariaDB's. Elsewhere the
 * server tells nobody which program a session belongs to, and nothing is done.
 */
export async function endOlderSessions(session: Session, name: SessionName): Promise<void> {
  const prefix = lanePrefix(name);
  for (let round = 0; round < ROUNDS; round += 1) {
    const others = await tolerant(() => session.rows(OTHERS, otherRow));
    const older = (others ?? []).filter((other) => {
      const epoch = other.name.startsWith(prefix) ? other.name.slice(prefix.length) : '';
      return /^\d+$/.test(epoch) && Number(epoch) < name.epoch;
    });
    if (older.length === 0) return;
    // One may have ended meanwhile.
    for (const { id } of older) await tolerant(() => session.run(`KILL ${id}`));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function tolerant<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectorError && error.scope === 'object') return undefined;
    throw error;
  }
}

import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import type { Session } from './session.ts';
import { epochOf } from './session-name.ts';

const OTHERS = `SELECT x.session_id AS session_id, x.program_name AS program_name FROM sys.dm_exec_sessions AS x
WHERE x.program_name LIKE N'backflow/%' AND x.session_id <> @@SPID`;

const otherRow = z.object({ session_id: z.number(), program_name: z.string() });

/** How often the server is asked whether the ended sessions are gone, 50 ms apart. */
const ROUNDS = 100;

/**
 * Ends sessions that earlier owners of the same lane left behind (they have a lower epoch), and waits until they are gone, so that no
 * write of theirs can come after ours. A login without VIEW SERVER STATE sees none but its own session, and one without ALTER ANY
 * CONNECTION may end none; `check` says so.
 */
export async function endOlderSessions(session: Session, name: SessionName): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const older = await olderSessions(session, name);
    if (older.length === 0) return;
    for (const id of older) {
      try {
        await session.batch(`KILL ${id}`);
      } catch (error) {
        if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
        if (error.class === 'permission') return;
        // Gone by itself meanwhile (6106); the next look will tell.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function olderSessions(session: Session, name: SessionName): Promise<readonly number[]> {
  try {
    const [rows = []] = await session.ask(OTHERS, []);
    return z
      .array(otherRow)
      .parse(rows)
      .filter((row) => {
        const epoch = epochOf(name, row.program_name);
        return epoch !== undefined && epoch < name.epoch;
      })
      .map((row) => row.session_id);
  } catch (error) {
    if (error instanceof ConnectorError && error.class === 'permission') return [];
    throw error;
  }
}

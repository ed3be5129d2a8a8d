import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import type { Session } from './session.ts';
import { epochOf } from './session-name.ts';

const OTHERS =
  "SELECT inst_id AS INST, sid AS SID, serial# AS SERIAL, program AS NAME FROM gv$session WHERE username = :own AND program LIKE 'backflow/%'";

const number = z.coerce.number().int().nonnegative();
const otherRow = z.object({ INST: number, SID: number, SERIAL: number, NAME: z.string().nullable() });

/** How often the server is asked whether the ended sessions are gone, 50 ms apart. */
const ROUNDS = 100;

/**
 * Ends sessions that earlier owners of the same lane left behind (they have a lower epoch), and waits until they are gone, so that no
 * write of theirs can come after ours. Needs SELECT_CATALOG_ROLE and ALTER SYSTEM; without them nothing is done.
 */
export async function endOlderSessions(session: Session, name: SessionName): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const others = await tolerant(() => session.rows(OTHERS, otherRow, { own: session.user }));
    const older = (others ?? []).filter(({ NAME }) => {
      const epoch = NAME === null ? undefined : epochOf(name, NAME);
      return epoch !== undefined && epoch < name.epoch;
    });
    if (older.length === 0) return;
    for (const { INST, SID, SERIAL } of older) {
      const ended = await tolerant(async () => {
        await session.run(`ALTER SYSTEM KILL SESSION '${SID},${SERIAL},@${INST}' IMMEDIATE`);
        return true;
      });
      if (ended === undefined && round > 0) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Undefined where the user may not do it, or the session has ended meanwhile. */
async function tolerant<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectorError && error.scope === 'object') return undefined;
    throw error;
  }
}

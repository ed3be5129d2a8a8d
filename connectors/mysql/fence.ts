import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import { olderSessionStays, refuseLostLane } from '../lane-lost.ts';
import type { Session } from './session.ts';
import { lanePrefix } from './session-name.ts';

const OTHERS = `SELECT processlist_id AS id, attr_value AS name FROM performance_schema.session_account_connect_attrs
  WHERE attr_name = 'program_name' AND attr_value LIKE 'backflow/%' AND processlist_id <> CONNECTION_ID()`;

const otherRow = z.object({ id: z.coerce.number().int().positive(), name: z.string() });
const takenRow = z.object({ taken: z.coerce.number().nullable(), holder: z.coerce.number().nullable() });

/** How often the server is asked whether the ended sessions are gone, 50 ms apart. */
const ROUNDS = 100;

/**
 * Ends sessions that earlier owners of the same lane left behind, and waits until they are gone, so that no write of theirs can come
 * after what we read or write. Two ways, each where the server allows it: performance_schema (on by default in MySQL, not in MariaDB)
 * tells the names of sessions; and every session of a lane that is used holds a lock of the lane's name (GET_LOCK) for as long as it
 * lives, which tells the next one whom to end. An account may end its own sessions without further privileges.
 */
export async function endOlderSessions(session: Session, name: SessionName): Promise<void> {
  await endNamedSessions(session, name);
  await takeLaneLock(session, name);
  refuseLostLane(name);
}

async function endNamedSessions(session: Session, name: SessionName): Promise<void> {
  const prefix = lanePrefix(name);
  for (let round = 0; round < ROUNDS; round += 1) {
    const others = await tolerant(() => session.rows(OTHERS, otherRow));
    const older = (others ?? []).filter((other) => {
      const epoch = other.name.startsWith(prefix) ? other.name.slice(prefix.length) : '';
      return /^\d+$/.test(epoch) && Number(epoch) < name.epoch;
    });
    if (older.length === 0) return;
    for (const { id } of older) await kill(session, id);
    await pause();
  }
  throw olderSessionStays();
}

async function takeLaneLock(session: Session, name: SessionName): Promise<void> {
  const lock = laneLock(name);
  for (let round = 0; round < ROUNDS; round += 1) {
    const answer = await tolerant(() =>
      session.rows(`SELECT GET_LOCK('${lock}', 0) AS taken, IS_USED_LOCK('${lock}') AS holder`, takenRow),
    );
    // A server or cluster that refuses such locks, or had no answer.
    const [row] = answer ?? [];
    if (row === undefined || row.taken === 1 || row.taken === null) return;
    if (row.holder !== null) await kill(session, row.holder);
    await pause();
  }
  throw olderSessionStays();
}

/** A lock's name has 64 characters at the most. */
function laneLock({ lane }: SessionName): string {
  return `backflow/${createHash('sha256').update(lane.toWellFormed()).digest('hex').slice(0, 48)}`;
}

/** It may have ended meanwhile. */
async function kill(session: Session, id: number): Promise<void> {
  await tolerant(() => session.run(`KILL ${id}`));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

async function tolerant<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectorError && error.scope === 'object') return undefined;
    throw error;
  }
}

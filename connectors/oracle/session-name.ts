import { createHash } from 'node:crypto';
import type { SessionName } from '../contract.ts';

/** `v$session.program` holds 48 bytes on every version. */
const MAX_BYTES = 48;
/** Leaves room for the longest epoch (16 digits), so that the prefix does not change with it. */
const LANE_ROOM = MAX_BYTES - 'backflow//'.length - 16;

/** What all sessions of a lane have in common, whatever their epoch. Parentheses and the like would end the login's own syntax. */
function prefixOf(lane: string): string {
  if (/^[A-Za-z0-9_.#-]+$/.test(lane) && lane.length <= LANE_ROOM) return `backflow/${lane}/`;
  const hash = createHash('sha256').update(lane).digest('hex').slice(0, 12);
  const readable = lane.replaceAll(/[^A-Za-z0-9_.#-]/g, '_').slice(0, LANE_ROOM - hash.length - 1);
  return `backflow/${readable}+${hash}/`;
}

/** `backflow/<lane>/<epoch>`, the program name of a session; a lane that does not fit is shortened and told apart by a hash. */
export function programName(session: SessionName): string {
  return prefixOf(session.lane) + String(session.epoch);
}

/** The epoch of another session of the same lane; undefined when the name is not one of this lane's. */
export function epochOf(session: SessionName, program: string): number | undefined {
  const prefix = prefixOf(session.lane);
  const rest = program.startsWith(prefix) ? program.slice(prefix.length) : '';
  return /^\d{1,16}$/.test(rest) ? Number(rest) : undefined;
}

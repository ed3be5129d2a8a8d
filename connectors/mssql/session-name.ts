import { createHash } from 'node:crypto';
import type { SessionName } from '../contract.ts';

/** A program name has 128 characters at the most. */
const MAX_UNITS = 128;
/** Leaves room for the longest epoch (16 digits), so that the prefix does not change with it. */
const LANE_ROOM = MAX_UNITS - 'backflow//'.length - 16;

/** What all sessions of a lane have in common, whatever their epoch. */
function prefixOf(lane: string): string {
  if (/^[!-~]*$/.test(lane) && !lane.includes('/') && lane.length <= LANE_ROOM) return `backflow/${lane}/`;
  const hash = createHash('sha256').update(lane).digest('hex').slice(0, 12);
  const readable = lane.replaceAll(/[^!-~]|\//g, '_').slice(0, LANE_ROOM - hash.length - 1);
  return `backflow/${readable}~${hash}/`;
}

/** `backflow/<lane>/<epoch>`; a lane that does not fit is shortened and told apart by a hash. */
export function programName(session: SessionName): string {
  return prefixOf(session.lane) + String(session.epoch);
}

/** The epoch of another session of the same lane; undefined when the name is not one of this lane's. */
export function epochOf(session: SessionName, name: string): number | undefined {
  const prefix = prefixOf(session.lane);
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  return /^\d{1,16}$/.test(rest) ? Number(rest) : undefined;
}

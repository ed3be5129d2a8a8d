import { createHash } from 'node:crypto';
import type { SessionName } from '../contract.ts';

/** `application_name` holds 63 bytes at the most, and the server replaces what is not printable ASCII. */
const MAX_BYTES = 63;

/** What all sessions of a lane have in common, whatever their epoch. */
function prefixOf(lane: string, room: number): string {
  const plain = /^[!-~]*$/.test(lane) && !lane.includes('/') && lane.length <= room;
  if (plain) return `backflow/${lane}/`;
  const hash = createHash('sha256').update(lane).digest('hex').slice(0, 12);
  const readable = lane.replaceAll(/[^!-~]|\//g, '_').slice(0, room - hash.length - 1);
  return `backflow/${readable}~${hash}/`;
}

/** Leaves room for the longest epoch (16 digits), so that the prefix does not change with it. */
const LANE_ROOM = MAX_BYTES - 'backflow//'.length - 16;

/** `backflow/<lane>/<epoch>`; a lane that does not fit is shortened and told apart by a hash. */
export function applicationName(session: SessionName): string {
  return prefixOf(session.lane, LANE_ROOM) + String(session.epoch);
}

/** The epoch of another session of the same lane; undefined when the name is not one of this lane's. */
export function epochOf(session: SessionName, name: string): number | undefined {
  const prefix = prefixOf(session.lane, LANE_ROOM);
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  return /^\d{1,16}$/.test(rest) ? Number(rest) : undefined;
}

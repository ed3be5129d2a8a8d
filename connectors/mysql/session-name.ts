import type { SessionName } from '../contract.ts';

/** What the names of all sessions of a lane begin with, whatever their epoch. */
export function lanePrefix({ lane }: SessionName): string {
  return `backflow/${encodeURIComponent(lane.toWellFormed())}/`;
}

/** `backflow/<lane>/<epoch>`, the `program_name` of a session. */
export function programName(name: SessionName): string {
  return lanePrefix(name) + String(name.epoch);
}

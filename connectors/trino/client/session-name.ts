import type { SessionName } from '../../contract.ts';

/** `backflow/<lane>/<epoch>`, the source that every statement of a lane carries in Trino's list of queries. Always printable ASCII. */
export function sourceName({ lane, epoch }: SessionName): string {
  return `backflow/${encodeURIComponent(lane.toWellFormed()).slice(0, 200)}/${epoch}`;
}

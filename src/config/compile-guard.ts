import type { ClearLimit } from '../domain/clear-guard.ts';
import { parseDuration } from './duration.ts';
import type { ChannelDocument } from './schema.ts';

/** What a channel may clear when its configuration does not say. */
const DEFAULT_CLEARS = 50;
const DEFAULT_PER = '10m';

/** The guard of a channel; undefined: it is switched off. */
export function guardOf({ guard }: Pick<ChannelDocument, 'guard'>): ClearLimit | undefined {
  if (guard === 'off' || guard === false) return undefined;
  const { clears = DEFAULT_CLEARS, per = DEFAULT_PER } = guard ?? {};
  const perMs = parseDuration(per);
  // The schema has refused what is no duration.
  return perMs === undefined ? undefined : { clears, perMs };
}

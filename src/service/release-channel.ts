import type { NatsLink } from '../../streams/nats/connection.ts';
import { createGuardStore } from '../../streams/nats/guard-store.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { lookAtStream } from '../../streams/nats/stream-look.ts';
import { holdsClears, parseGuard, releaseClears } from '../domain/clear-guard.ts';
import { STREAMS } from '../domain/subjects.ts';

export interface Released {
  readonly channel: string;
  /** Absent: on all targets. */
  readonly target?: string;
  /** False: nothing was held, and nothing was changed. */
  readonly wasHolding: boolean;
  /** Clears of changes up to this sequence of CHANGES may be written; what comes after them counts from zero. */
  readonly through?: number;
}

/** Ends the hold of a channel's guard: what was accepted until now may be cleared. Every lane sees it at once. */
export async function releaseChannel(link: NatsLink, channel: string, target?: string): Promise<Released> {
  const store = createGuardStore(link);
  const base = { channel, ...(target === undefined ? {} : { target }) };
  for (let attempt = 0; ; attempt += 1) {
    const stored = await store.read(channel);
    const state = stored === undefined ? undefined : parseGuard(stored.value);
    const holds =
      target === undefined ? state?.holding !== undefined : state !== undefined && holdsClears(state, target);
    if (stored === undefined || state === undefined || !holds) return { ...base, wasHolding: false };
    const { last: through } = await lookAtStream(link, STREAMS.changes);
    try {
      await store.write(channel, JSON.stringify(releaseClears(state, through, target)), stored.revision);
      return { ...base, wasHolding: true, through };
    } catch (error) {
      // A lane has counted at the same moment.
      if (!(error instanceof StreamError) || error.code !== 'conflict' || attempt >= 9) throw error;
    }
  }
}

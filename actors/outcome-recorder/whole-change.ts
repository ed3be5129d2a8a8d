import type { OutcomeItem } from '../../src/domain/outcome.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { timings } from './asset-outcome.ts';

/** What the items of a change say alike when it is decided as a whole, by none of its fields' writes. `now`: whole epoch milliseconds. */
export function ofWholeChange(
  held: HeldChange,
  now: number,
): Pick<OutcomeItem, 'sequence' | 'eventId' | 'user' | 'channel' | 'traceId' | 'timings'> {
  const { sequence, event } = held.received;
  return {
    sequence,
    eventId: event.id,
    user: event.userName,
    ...(held.onlyChannel === undefined ? {} : { channel: held.onlyChannel }),
    ...(held.traceId === undefined ? {} : { traceId: held.traceId }),
    timings: timings(held, now),
  };
}

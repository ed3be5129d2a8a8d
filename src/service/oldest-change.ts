import type { NatsLink } from '../../streams/nats/connection.ts';
import { getNext } from '../../streams/nats/stored-messages.ts';
import { changeFilter, STREAMS, slotOfChange } from '../domain/subjects.ts';

/** Messages of other partitions that are passed over in search of the oldest of this one. */
const MAX_SEARCH = 64;

export interface OldestChangeQuery {
  readonly target: string;
  readonly ownsSlot: (slot: number) => boolean;
  /** The first sequence that may be it: behind the lane's ack floor. */
  readonly from: number;
}

/** The oldest change from a sequence on that a lane reads, as CHANGES has it; undefined: there is none, or none is near. */
export async function oldestChange(
  link: NatsLink,
  query: OldestChangeQuery,
): Promise<{ readonly sequence: number; readonly time: number } | undefined> {
  let { from } = query;
  for (let tries = 0; tries < MAX_SEARCH; tries += 1) {
    const message = await getNext(link, STREAMS.changes, from, changeFilter(query.target));
    if (message === undefined) return undefined;
    const { sequence, time } = message;
    if (query.ownsSlot(slotOfChange(message.subject))) return { sequence, time };
    from = sequence + 1;
  }
  return undefined;
}

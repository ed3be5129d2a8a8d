import type { NatsLink } from '../../streams/nats/connection.ts';
import { lookAtConsumer } from '../../streams/nats/stream-look.ts';
import { STREAMS } from '../domain/subjects.ts';

/** How often a busy lane asks, milliseconds: what lies above the floor is listed in the sync states. */
const EVERY_MS = 250;

/**
 * Up to where the acknowledgements of a lane have come for certain. The function it gives answers at once with what was told last (0:
 * nothing yet) and asks the stream now and then, only while it is called.
 */
export function ackFloorOf(link: NatsLink, lane: string): () => number {
  let floor = 0;
  let asking = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    asking = true;
    askedAt = performance.now();
    try {
      floor = (await lookAtConsumer(link, STREAMS.changes, lane)).ackFloor;
    } catch {
      // What was known stays true.
    } finally {
      asking = false;
    }
  };
  return () => {
    if (!asking && performance.now() - askedAt >= EVERY_MS) void ask();
    return floor;
  };
}

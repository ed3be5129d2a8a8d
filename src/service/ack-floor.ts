import type { NatsLink } from '../../streams/nats/connection.ts';
import { lookAtConsumer } from '../../streams/nats/stream-look.ts';
import { STREAMS } from '../domain/subjects.ts';

/** How often a busy lane asks, milliseconds: what lies above the floor is listed in the sync states. */
const EVERY_MS = 250;
/**
 * Between two questions pass so many times what the last one took: an old server (2.9) goes through all subjects of the stream for the
 * answer (20 ms for 20,000, a third of a second for a million) and does nothing else with the stream meanwhile.
 */
const REST_FACTOR = 10;
const REST_MOST_MS = 10_000;

/**
 * Up to where the acknowledgements of a lane have come for certain. The function it gives answers at once with what was told last (0:
 * nothing yet) and asks the stream now and then, only while it is called.
 */
export function ackFloorOf(link: NatsLink, lane: string): () => number {
  let floor = 0;
  let asking = false;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<void> => {
    asking = true;
    const askedAt = performance.now();
    try {
      floor = (await lookAtConsumer(link, STREAMS.changes, lane)).ackFloor;
    } catch {
      // What was known stays true.
    } finally {
      asking = false;
      askAgainAt = nextQuestionAt(askedAt, performance.now());
    }
  };
  return () => {
    if (!asking && performance.now() >= askAgainAt) void ask();
    return floor;
  };
}

/** When the next question may be asked after one that was answered, or failed; all in milliseconds of one clock. */
export function nextQuestionAt(askedAt: number, answeredAt: number): number {
  const rest = Math.min(REST_MOST_MS, REST_FACTOR * (answeredAt - askedAt));
  return Math.max(askedAt + EVERY_MS, answeredAt + rest);
}

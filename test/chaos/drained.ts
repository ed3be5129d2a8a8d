import { setTimeout as pause } from 'node:timers/promises';
import { STREAMS } from '../../src/domain/subjects.ts';
import { RAW_EVENTS } from '../../src/intake/raw-events.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';

const DRAIN_MS = 120_000;

/** Waits until every consumer has nothing left, and still has nothing a moment later. */
export async function untilDrained(link: NatsLink): Promise<number | undefined> {
  const beginning = performance.now();
  let quiet = 0;
  while (performance.now() - beginning < DRAIN_MS) {
    quiet = (await hasWork(link)) ? 0 : quiet + 1;
    if (quiet === 5) return Math.round(performance.now() - beginning);
    await pause(100);
  }
  return undefined;
}

async function hasWork(link: NatsLink): Promise<boolean> {
  const raw = await link.jsm.consumers.info(RAW_EVENTS.stream, RAW_EVENTS.durable);
  const lanes = await link.jsm.consumers.list(STREAMS.changes).next();
  const { state } = await link.jsm.streams.info(STREAMS.parked);
  if (lanes.length < 2 || state.messages > 0) return true;
  return [raw, ...lanes].some((info) => info.num_pending + info.num_ack_pending > 0);
}

import type { Log } from '../telemetry/log.ts';
import type { LaneVitals } from './lane-vitals.ts';

/** Every outcome in hand is tried twice a second while NATS does not take it: one line in so many milliseconds is enough. */
const LOG_EVERY_MS = 10_000;

/** What a lane cannot store: said in the log now and then, and in the lane table for as long as it goes on. */
export function storeTrouble(lane: string, log: Log, vitals: LaneVitals): (problem: string) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (problem) => {
    vitals.storeTrouble = { problem, at: Date.now() };
    const now = performance.now();
    if (now - saidAt < LOG_EVERY_MS) return;
    saidAt = now;
    log.warn({ lane, problem }, 'an outcome could not be stored yet');
  };
}

/** The trouble, as long as it lasts: what is tried again fails again within a few seconds. */
export function presentTrouble({ storeTrouble: trouble }: LaneVitals): string | undefined {
  return trouble !== undefined && Date.now() - trouble.at < LOG_EVERY_MS ? trouble.problem : undefined;
}

import type { HeldFieldCount } from '../../actors/lane/lane-ports.ts';
import type { NeedsReconcile } from './retention-record.ts';

/** What a lane last told about itself; the lane table shows it. */
export interface LaneVitals {
  held: number;
  /** Of these: stored away while their asset waits. */
  parked: number;
  /** Epoch milliseconds at which intake accepted the oldest change in hand. */
  oldestHeldAt: number | undefined;
  /** Fields that are not written until a person says so. */
  heldFields: readonly HeldFieldCount[];
  /** Share of the way to being discarded that the oldest unsettled change has come, 0 to 1. */
  retention: number;
  /** Changes were lost: the target has to be compared with the catalogue. */
  needsReconcile: NeedsReconcile | undefined;
  target: 'up' | 'down' | 'unknown';
  lastError: string | undefined;
  /** What could last not be stored in NATS, and when (epoch milliseconds). */
  storeTrouble: { readonly problem: string; readonly at: number } | undefined;
  /** Writes applied by this replica since it started. */
  applied: number;
  /** Of these, in each second of about the last minute. */
  perSecond: number;
}

export function newVitals(): LaneVitals {
  return {
    held: 0,
    parked: 0,
    oldestHeldAt: undefined,
    heldFields: [],
    retention: 0,
    needsReconcile: undefined,
    target: 'unknown',
    lastError: undefined,
    storeTrouble: undefined,
    applied: 0,
    perSecond: 0,
  };
}

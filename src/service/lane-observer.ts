import type { LaneObserver } from '../../actors/lane/lane-ports.ts';
import type { TargetConfig } from '../config/compiled.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { LaneVitals } from './lane-vitals.ts';

export interface LaneObserverOptions {
  readonly target: TargetConfig;
  readonly partition: number;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly vitals: LaneVitals;
}

/** Turns what a lane tells into metrics, log lines and its row of the lane table. */
export function laneObserver({ target, partition, metrics, log, vitals }: LaneObserverOptions): LaneObserver {
  const label = { target: target.service, partition };
  return {
    outcome(channel, status, changeToWriteMs, count = 1) {
      metrics.outcome(target.service, channel, status, count);
      if (status === 'applied') vitals.applied += count;
      if (changeToWriteMs !== undefined) metrics.changeToWrite(target.service, changeToWriteMs);
    },
    deadLetter(failureClass) {
      metrics.deadLetter(target.service);
      log.warn({ target: target.service, class: failureClass }, 'a change was dead-lettered');
    },
    limiterWait: (ms) => metrics.limiterWait(target.service, ms),
    target(state, lastError) {
      if (state !== vitals.target || lastError !== vitals.lastError) {
        if (state === 'down')
          log.error({ target: target.service, problem: lastError }, 'the target cannot be written to; its lane waits');
        else if (vitals.target === 'down') log.info({ target: target.service }, 'the target can be written to again');
      }
      vitals.target = state;
      vitals.lastError = lastError;
      metrics.breaker(target.service, state === 'down' ? 'open' : 'closed');
    },
    held(fields) {
      for (const { channel, why } of vitals.heldFields) metrics.heldFields(label, channel, why, 0);
      for (const { channel, why, fields: count } of fields) metrics.heldFields(label, channel, why, count);
      vitals.heldFields = fields;
    },
    progress({ held, oldestHeldAt, parked }) {
      vitals.held = held;
      vitals.parked = parked;
      vitals.oldestHeldAt = oldestHeldAt;
      metrics.oldestUnapplied(label, oldestHeldAt === undefined ? 0 : Date.now() - oldestHeldAt);
    },
  };
}

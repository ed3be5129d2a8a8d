import type { LaneObserver } from './lane-ports.ts';

/**
 * What a lane's stages tell, until they end. From then on nothing counts as in hand, nor as waiting for a person here, whatever a stage
 * still says that could not be stopped in time (it waited for a store that was away).
 */
export function whileOpen(observe: LaneObserver, ending: AbortSignal): LaneObserver {
  ending.addEventListener('abort', () => {
    observe.progress({ held: 0, oldestHeldAt: undefined, parked: 0 });
    observe.held?.([]);
  });
  return {
    ...observe,
    progress(state) {
      if (!ending.aborted) observe.progress(state);
    },
    held(fields) {
      if (!ending.aborted) observe.held?.(fields);
    },
  };
}

import type { LaneObserver, LaneStore } from '../../actors/lane/lane-ports.ts';

const nothing = (): void => undefined;

/** Surroundings of a lane that keep nothing and know nothing; a test puts its own in place of what it is about. */
export const idleObserver: LaneObserver = {
  outcome: nothing,
  deadLetter: nothing,
  limiterWait: nothing,
  target: nothing,
  progress: nothing,
};

/** What a lane asks of its store beside the outcomes of its assets. */
export const idleStore: Omit<LaneStore, 'lastOutcomes' | 'recordOutcome'> = {
  recordBulk: async () => 'recorded',
  settledInBulk: async () => new Set(),
  recordDeadLetter: async () => undefined,
  changeBody: async () => undefined,
  parking: {
    park: async () => false,
    parkedChanges: async () => new Map(),
    unpark: async () => undefined,
    listParked: async () => new Map(),
  },
  fetchObject: async () => undefined,
};

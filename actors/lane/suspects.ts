/** A change that has been delivered so often, this time included, is suspected to end its owners. */
export const SUSPECT_AFTER = 20;
/** A change on which so many owners died, each while it did nothing else, is given up. */
const MAX_DEATHS = 3;

/**
 * What is known of changes that may end the process which handles them. Kept where the next owner finds it.
 * `running` stands there exactly while an owner handles that change and nothing else: whoever finds it there knows that this
 * owner died on it.
 */
export interface SuspectNotes {
  /** Owners that died, by sequence of the change. */
  readonly deaths: Readonly<Record<string, number>>;
  readonly running?: number;
}

/** Where the notes of a lane lie. Tries again by itself for as long as the lane lives. */
export interface SuspectStore {
  read(): Promise<SuspectNotes>;
  write(notes: SuspectNotes): Promise<void>;
}

/** The notes as a new owner has to see them: one that was running has cost its owner's life. */
export function afterTakeOver({ deaths, running }: SuspectNotes): SuspectNotes {
  return running === undefined ? { deaths } : { deaths: { ...deaths, [running]: (deaths[running] ?? 0) + 1 } };
}

export function isSuspect({ deaths }: SuspectNotes, sequence: number, deliveryCount: number, after: number): boolean {
  return deliveryCount >= after || deaths[sequence] !== undefined;
}

export function isGivenUp({ deaths }: SuspectNotes, sequence: number): boolean {
  return (deaths[sequence] ?? 0) >= MAX_DEATHS;
}

/** The change is survived, or given up: nothing is known against it any more. */
export function without({ deaths }: SuspectNotes, sequence: number): SuspectNotes {
  const { [sequence]: _, ...others } = deaths;
  return { deaths: others };
}

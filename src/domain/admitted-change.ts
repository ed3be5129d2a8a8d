import type { EventTouch } from './event-touch.ts';
import type { ReceivedChange } from './ledger.ts';
import type { Rank } from './rank.ts';

/** A change that a ledger has admitted and not settled. */
export interface AdmittedChange {
  readonly change: ReceivedChange;
  /** Number of its touches that are open. */
  open: number;
  /** Rank of its snapshot. */
  rank: Rank;
  /** What an undo touches. Its rank is inferred, and moves when a better partner comes, until something of it is decided. */
  readonly undo?: readonly EventTouch[];
}

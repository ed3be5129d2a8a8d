/**
 * Position of a touched field's change in the history of its asset. Compared as a whole tuple by `compareRanks`:
 * time first; then, within one entity id, the higher version, then the lower previous version; then the event id.
 */
export interface Rank {
  /** Epoch milliseconds; a match for an undo may lie a fraction above the change that it takes back. */
  readonly time: number;
  readonly entityId: string;
  readonly version: number;
  readonly previous: number;
  readonly eventId: string;
}

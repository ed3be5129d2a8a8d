import type { AdmittedChange } from './admitted-change.ts';
import type { Touch } from './ledger.ts';
import { SparseMap } from './sparse-map.ts';

/**
 * The changes of an asset that are admitted and not settled, by sequence.
 * Invariant: `open` of each is the number of its touches that are open; one of which something is decided no longer counts as an undo
 * that may move.
 */
export class AdmittedChanges {
  readonly #bySequence = new SparseMap<number, AdmittedChange>();
  /** How many of them are undos that may move. */
  #undos = 0;

  has(sequence: number): boolean {
    return this.#bySequence.has(sequence);
  }

  get(sequence: number): AdmittedChange | undefined {
    return this.#bySequence.get(sequence);
  }

  add(admitted: AdmittedChange): void {
    const { sequence } = admitted.change;
    this.delete(sequence);
    this.#bySequence.set(sequence, admitted);
    if (admitted.undo !== undefined) this.#undos += 1;
  }

  delete(sequence: number): void {
    const admitted = this.#bySequence.get(sequence);
    if (admitted === undefined) return;
    if (admitted.undo !== undefined) this.#undos -= 1;
    this.#bySequence.delete(sequence);
  }

  /** One of the change's touches is closed: something of it is decided. */
  closeOne(sequence: number): void {
    const admitted = this.#bySequence.get(sequence);
    if (admitted === undefined) return;
    admitted.open -= 1;
    if (admitted.undo === undefined) return;
    const { undo: _, ...decided } = admitted;
    this.add(decided);
  }

  /** The undos that may move. */
  undos(): readonly AdmittedChange[] {
    return this.#undos === 0 ? [] : [...this.#bySequence.values()].filter(({ undo }) => undo !== undefined);
  }

  /** An ignored user's change brings nothing into the source but what only shows in its snapshot: that was done by somebody else before. */
  isWritten({ reason, sequence }: Pick<Touch, 'reason' | 'sequence'>): boolean {
    return reason === 'differs' || this.#bySequence.get(sequence)?.change.ignored !== true;
  }

  /** Ids of the events that are not decided yet. */
  openEvents(): Set<string> {
    const ids = new Set<string>();
    for (const { open, change } of this.#bySequence.values()) if (open > 0) ids.add(change.event.id);
    return ids;
  }
}

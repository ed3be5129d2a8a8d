import type { UndeliveredEvent, UndeliveredReason } from './system-event.ts';

/** What is kept of an undelivered message: never the message itself, so that the log is bounded in bytes. */
export interface UndeliveredRecord {
  readonly actor: string;
  readonly actorType: string;
  readonly at: number;
  readonly reason: UndeliveredReason;
  /** By the actor's `describe`, cut. */
  readonly label?: string;
  /** Name and message of the error, cut. */
  readonly error?: string;
}

/** Read side of the log of undelivered messages. */
export interface UndeliveredLog {
  readonly total: number;
  /** Since the system was made. */
  readonly counts: Readonly<Record<UndeliveredReason, number>>;
  /** The last 1,000, oldest first. */
  recent(): readonly UndeliveredRecord[];
}

const KEPT = 1000;
const LONGEST_TEXT = 300;

export class UndeliveredRing implements UndeliveredLog {
  readonly counts: Record<UndeliveredReason, number> = {
    full: 0,
    'no-room': 0,
    dropped: 0,
    coalesced: 0,
    stopped: 0,
    failed: 0,
    abandoned: 0,
    'late-reply': 0,
  };
  total = 0;
  readonly #ring: UndeliveredRecord[] = [];

  add(event: UndeliveredEvent, label: string | undefined): void {
    const { actor, actorType, at, reason, error } = event;
    this.counts[reason] += 1;
    this.#ring[this.total % KEPT] = {
      actor,
      actorType,
      at,
      reason,
      ...(label === undefined ? {} : { label: label.slice(0, LONGEST_TEXT) }),
      ...(error === undefined ? {} : { error: describeError(error).slice(0, LONGEST_TEXT) }),
    };
    this.total += 1;
  }

  recent(): readonly UndeliveredRecord[] {
    const oldest = this.total % KEPT;
    return this.total <= KEPT ? [...this.#ring] : [...this.#ring.slice(oldest), ...this.#ring.slice(0, oldest)];
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : `a thrown ${typeof error}`;
}

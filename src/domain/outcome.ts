import type { Aspect, EntityType } from './entity.ts';
import type { FailureClass } from './failure.ts';
import type { Gap } from './gap.ts';
import type { Rank } from './rank.ts';
import type { StoredObject } from './stored-object.ts';
import type { SyncState } from './sync-state.ts';

/** What became of one key. `skipped` and `superseded` always carry a reason that a person understands. */
export type OutcomeStatus = 'applied' | 'unchanged' | 'superseded' | 'skipped' | 'failed' | 'observed';

/**
 * The proof that an applied value stands in the source: read back, committed by a transaction, or none.
 */
export type Verified = 'read' | 'commit' | 'no';

/** Milliseconds since the epoch of the stations of a change. */
export interface OutcomeTimings {
  readonly eventAt: number;
  readonly receivedAt: number;
  readonly pulledAt: number;
  readonly settledAt: number;
}

/**
 * One decided key. The key that ends exactly once is CHANGES sequence × target × channel × aspect × object; `channel` is absent
 * where no channel was involved, `object` is `''` for the entity itself, else a column's path joined like an FQN.
 * Members that do not apply are absent. Values longer than the limit stand cut, with their hash.
 */
export interface OutcomeItem {
  readonly sequence: number;
  readonly eventId: string;
  readonly channel?: string;
  readonly aspect?: Aspect;
  readonly object: string;
  readonly status: OutcomeStatus;
  readonly reason?: string;
  readonly user?: string;
  readonly before?: string;
  readonly after?: string;
  readonly statements?: readonly string[];
  readonly attempts?: number;
  readonly verified?: Verified;
  /** `snapshot`: decided without a fresh read of the catalogue although there was doubt; `catalogue`: after such a read. */
  readonly decidedBy?: 'snapshot' | 'catalogue';
  readonly failure?: { readonly class: FailureClass; readonly code: string; readonly message: string };
  /** A visible cut of a text at the system's limit, dropped markup, … */
  readonly notes?: readonly string[];
  readonly traceId?: string;
  readonly timings?: OutcomeTimings;
}

/** A key that a newer change made needless; kept small, since there can be many. */
export interface SupersededItem {
  readonly sequence: number;
  readonly eventId: string;
  readonly channel?: string;
  readonly aspect?: Aspect;
  readonly object: string;
  readonly traceId?: string;
  /** Event id of the newer change, or the word `duplicate`. */
  readonly by: string;
}

/**
 * One message on `outcome.<target>.<assetKey>`: what was decided for one asset in one batch.
 * Invariant: a sequence stands in `settles` of exactly one message, the one that records its last undecided key.
 */
export interface OutcomeMessage {
  readonly v: 1;
  /** Batch id, unique; also the message's `Nats-Msg-Id`. */
  readonly id: string;
  readonly target: string;
  readonly asset: { readonly entityType: EntityType; readonly fqn: string; readonly key: string };
  /** Epoch milliseconds. */
  readonly at: number;
  readonly lane: string;
  readonly epoch: number;
  readonly configRevision: number;
  readonly items: readonly OutcomeItem[];
  readonly superseded: readonly SupersededItem[];
  readonly settles: readonly number[];
  /** Of a state that is too large for a message, what has to be known even if the whole were lost (`reducedState`). */
  readonly state: SyncState;
  /** Where the whole state lies in OBJECTS. */
  readonly stateObject?: StoredObject;
  /** Where the whole values of the items with long ones lie in OBJECTS. */
  readonly values?: StoredObject;
}

/** Settled in bulk on `outcome-bulk.<target>.<partition>`: what the configuration alone decides, without any asset state. */
export interface BulkOutcomeMessage {
  readonly v: 1;
  readonly id: string;
  readonly target: string;
  readonly at: number;
  readonly lane: string;
  readonly configRevision: number;
  readonly items: readonly OutcomeItem[];
  readonly settles: readonly number[];
  /** This records changes that nobody can settle any more. */
  readonly gap?: Gap;
}

/** What the dead letter stream holds: everything needed to understand and to replay. */
export interface DeadLetter {
  readonly v: 1;
  readonly id: string;
  /** Absent for what intake could not read. */
  readonly target?: string;
  readonly channel?: string;
  readonly sequence?: number;
  readonly eventId?: string;
  readonly asset?: { readonly entityType: EntityType; readonly fqn: string; readonly key: string };
  readonly aspect?: Aspect;
  readonly object?: string;
  readonly rank?: Rank;
  readonly at: number;
  readonly failure: { readonly class: FailureClass; readonly code: string; readonly message: string };
  readonly statements?: readonly string[];
  readonly attempts?: number;
  readonly traceId?: string;
  /** The change event as it lies in CHANGES, or the raw body (possibly cut) where it could not be read. */
  readonly body: string;
  readonly bodyCut?: boolean;
}

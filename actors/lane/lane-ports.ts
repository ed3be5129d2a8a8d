import type { Connection } from '../../connectors/contract.ts';
import type { Channel } from '../../src/channels/channel.ts';
import type { HoldReason } from '../../src/channels/channel-holds.ts';
import type { CatalogueReader } from '../../src/domain/catalogue-reader.ts';
import type { BulkOutcomeMessage, DeadLetter, OutcomeMessage, OutcomeStatus } from '../../src/domain/outcome.ts';
import type { StoredObject } from '../../src/domain/stored-object.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import type { ParkingStore } from './parking-store.ts';
import type { SuspectStore } from './suspects.ts';

/**
 * How publishing an outcome ended.
 * `outdated`: an outcome of the asset that this owner has not seen stands there, so the decision was made from an old state.
 * `lost`: a newer owner of the lane has written, this one must stop; nothing was stored.
 */
export type RecordAnswer =
  | { readonly kind: 'recorded'; readonly sequence: number }
  | { readonly kind: 'outdated' }
  | { readonly kind: 'lost' };

/**
 * What a lane needs of the streams; NATS stands behind it in the service, a model in simulations. Every method tries again by
 * itself for as long as the lane lives; what it rejects with no retry within the lane's life would cure.
 */
export interface LaneStore {
  /** Last outcome messages by subject; subjects without one are absent. */
  lastOutcomes(subjects: readonly string[]): Promise<ReadonlyMap<string, StoredMessage>>;
  /**
   * Publishes in order; resolves when the outcome is stored.
   * `previous`: the state before this outcome, which the first parts of a split message carry.
   */
  recordOutcome(
    subject: string,
    message: OutcomeMessage,
    expectedSequence: number,
    previous: SyncState,
  ): Promise<RecordAnswer>;
  recordBulk(message: BulkOutcomeMessage): Promise<'recorded' | 'lost'>;
  /** Which of these sequences a bulk outcome recorded since that time (epoch milliseconds) already settles. */
  settledInBulk(sequences: readonly number[], since: number): Promise<ReadonlySet<number>>;
  recordDeadLetter(letter: DeadLetter): Promise<void>;
  /** Where changes are stored away whose asset has to wait. */
  readonly parking: ParkingStore;
  /** The body of a change as it lies in CHANGES, of a large event the whole; undefined when it is no longer there. */
  changeBody(sequence: number): Promise<string | undefined>;
  /** What was too large for one message: an event, or an asset's state; undefined when not all of it is there any more. */
  fetchObject(of: 'event' | 'state', object: StoredObject): Promise<Uint8Array | undefined>;
}

/** One field that a channel is about to clear in the source. `id` is the same whenever the same clear is tried again. */
export interface ClearAsked {
  readonly id: string;
  readonly channel: Channel;
  /** Of the change that it comes from. */
  readonly sequence: number;
}

/** The guard on what channels clear, over all lanes and replicas. */
export interface ClearGuard {
  /**
   * For each clear whether it may be sent; those that may are counted, once each. What may not waits for a release, of which the lane is
   * told by its holds. Tries again by itself for as long as the lane lives.
   */
  pass(clears: readonly ClearAsked[]): Promise<readonly boolean[]>;
}

/** How many fields of a channel wait for a person, and since when (epoch milliseconds). */
export interface HeldFieldCount {
  readonly channel: string;
  readonly why: HoldReason;
  readonly fields: number;
  readonly since: number;
}

/** Everything that ties a lane to its surroundings. */
export interface LanePorts {
  readonly store: LaneStore;
  /** Opens a connection to the target; throws `ConnectorError`. */
  readonly connect: () => Promise<Connection>;
  /** Fresh reads of the catalogue, where an address is configured. */
  readonly catalogue?: CatalogueReader;
  /** Absent: nothing is guarded. */
  readonly guard?: ClearGuard;
  /** Absent: no change is suspected. */
  readonly suspects?: SuspectStore;
  readonly observe: LaneObserver;
  /** Every sequence up to this one is acknowledged for certain, as the stream last told; 0: nothing is known yet. */
  readonly ackFloor?: () => number;
}

/** What a lane tells about itself; metrics and the lane table are made from it. */
export interface LaneObserver {
  /** `count`: so many alike; default 1. */
  outcome(
    channel: string | undefined,
    status: OutcomeStatus,
    changeToWriteMs: number | undefined,
    count?: number,
  ): void;
  deadLetter(failureClass: string): void;
  limiterWait(ms: number): void;
  target(state: 'up' | 'down', lastError: string | undefined): void;
  /** What the lane has in hand and does not write until a person says so. Told when it changes. */
  held?(fields: readonly HeldFieldCount[]): void;
  /** `parked`: of `held`, what is stored away and takes no credit. */
  progress(state: { readonly held: number; readonly oldestHeldAt: number | undefined; readonly parked: number }): void;
}

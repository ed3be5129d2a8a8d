import type { Connection } from '../../connectors/contract.ts';
import type { CatalogueReader } from '../../src/domain/catalogue-reader.ts';
import type { BulkOutcomeMessage, DeadLetter, OutcomeMessage, OutcomeStatus } from '../../src/domain/outcome.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';

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
  /** The body of a change as it lies in CHANGES; undefined when it is no longer there. */
  changeBody(sequence: number): Promise<string | undefined>;
}

/** Everything that ties a lane to its surroundings. */
export interface LanePorts {
  readonly store: LaneStore;
  /** Opens a connection to the target; throws `ConnectorError`. */
  readonly connect: () => Promise<Connection>;
  /** Fresh reads of the catalogue, where an address is configured. */
  readonly catalogue?: CatalogueReader;
  readonly observe: LaneObserver;
  /** Every sequence up to this one is acknowledged for certain, as the stream last told; 0: nothing is known yet. */
  readonly ackFloor?: () => number;
}

/** What a lane tells about itself; metrics and the lane table are made from it. */
export interface LaneObserver {
  outcome(channel: string | undefined, status: OutcomeStatus, changeToWriteMs: number | undefined): void;
  deadLetter(failureClass: string): void;
  limiterWait(ms: number): void;
  target(state: 'up' | 'down', lastError: string | undefined): void;
  progress(state: { readonly held: number; readonly oldestHeldAt: number | undefined }): void;
}

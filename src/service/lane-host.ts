import { filter } from 'rxjs';
import type { LaneHost } from '../../actors/lane/lane.ts';
import type { Connector } from '../../connectors/contract.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Delivery, Lease, Publisher, PullSource } from '../../streams/nats/contract.ts';
import type { LeaseWatcher } from '../../streams/nats/lease-watcher.ts';
import { acquireLease, LEASE_MS, leaseTimings } from '../../streams/nats/leases.ts';
import { createPullSource, type LanePullSource } from '../../streams/nats/pull-source.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { readSuspects, writeSuspects } from '../../streams/nats/suspect-store.ts';
import { ensureConsumer } from '../../streams/nats/topology.ts';
import type { AdaptiveBucket } from '../../streams/operators/adaptive-bucket.ts';
import type { TargetConfig } from '../config/compiled.ts';
import { resolveConnection } from '../config/resolve-connection.ts';
import type { SecretSources } from '../config/resolve-secrets.ts';
import { SLOTS } from '../domain/asset.ts';
import type { CatalogueReader } from '../domain/catalogue-reader.ts';
import { BUCKETS, changeFilter, STREAMS } from '../domain/subjects.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ackFloorOf } from './ack-floor.ts';
import { type CarriedFloors, startAfter, wasAcknowledged } from './carried-floors.ts';
import type { ChannelControls } from './channel-controls.ts';
import { laneName } from './lane-name.ts';
import { laneObserver } from './lane-observer.ts';
import { LaneRetention } from './lane-retention.ts';
import { createLaneStore } from './lane-store.ts';
import type { LaneVitals } from './lane-vitals.ts';
import { rateLimitOf } from './rate-limit.ts';
import type { Partitioning, Repartition } from './repartition.ts';
import { presentTrouble, storeTrouble } from './store-trouble.ts';
import { whileOurs } from './while-ours.ts';
import { WriteRate } from './write-rate.ts';

/** Time after which an unacknowledged message is delivered again, milliseconds: three leases. */
export function ackWaitMs(leaseMs = LEASE_MS): number {
  return 3 * leaseMs;
}
/** How often the lane's record is brought up to date, in leases. */
const RECORD_EVERY = 0.5;

export interface LaneHostOptions {
  /** Connection that changes are pulled on. */
  readonly link: NatsLink;
  /** Connection for everything else. */
  readonly storeLink: NatsLink;
  readonly publisher: Publisher;
  readonly replica: string;
  readonly target: TargetConfig;
  readonly partition: number;
  readonly connector: Connector;
  readonly bucket: AdaptiveBucket;
  readonly watcher: LeaseWatcher;
  /** Whether this replica should ask for the lane now, as the balance over all replicas has it. */
  readonly mayClaim: () => boolean;
  readonly repartition: Repartition;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly vitals: LaneVitals;
  /** Of the configuration in force. */
  readonly configRevision: () => number;
  readonly controls: ChannelControls;
  readonly catalogue?: CatalogueReader;
  readonly secrets: SecretSources;
  /** How long a silent owner's lane waits for another one, milliseconds; default `LEASE_MS`. */
  readonly leaseMs?: number;
}

/** Subjects that a lane reads: all of the service, or the slots of its partition. */
export function laneFilters(target: TargetConfig, partition: number): readonly string[] {
  const all = changeFilter(target.service);
  if (target.partitions === 1) return [all];
  const prefix = all.slice(0, -1);
  return Array.from({ length: SLOTS }, (_, slot) => slot)
    .filter((slot) => slot % target.partitions === partition)
    .map((slot) => `${prefix}${slot}.>`);
}

/** What lanes of the partitioning before have acknowledged is acknowledged unread. */
function passOver(source: PullSource, carried: CarriedFloors | undefined): PullSource {
  if (carried === undefined) return source;
  const highest = Math.max(...carried.floors);
  const isNew = (delivery: Delivery): boolean => {
    if (delivery.sequence > highest || !wasAcknowledged(carried, delivery.subject, delivery.sequence)) return true;
    delivery.ack();
    return false;
  };
  return { ...source, deliveries: source.deliveries.pipe(filter(isNew)) };
}

/** Binds one lane to NATS, its target and the process around it. */
export function createLaneHost(options: LaneHostOptions): LaneHost {
  const { link, storeLink, target, partition, connector, bucket, metrics, log, vitals } = options;
  const lane = laneName(target, partition);
  const leaseMs = options.leaseMs ?? LEASE_MS;
  const ackWait = ackWaitMs(leaseMs);
  let valid: () => boolean = () => false;
  const ackFloor = ackFloorOf(storeLink, lane);
  /** Where the lanes of the partitioning before have left off. */
  let carried: CarriedFloors | undefined;
  const ownsSlot = (slot: number): boolean => slot % target.partitions === partition;
  const partitioning = (): Partitioning => ({
    target: target.service,
    partitions: target.partitions,
    revision: options.configRevision(),
  });

  const retention = new LaneRetention({
    ...options,
    link: storeLink,
    lane,
    target: target.service,
    filters: laneFilters(target, partition),
    ownsSlot,
  });
  const writeRate = new WriteRate();
  /** Looks at the lane follow one another, each based on the record that the one before left. */
  let looking: Promise<unknown> = Promise.resolve();

  function look(lease: Lease, claimed: boolean, heldFrom: number | undefined): Promise<void> {
    const next = looking
      .catch(() => undefined)
      .then(() => {
        vitals.perSecond = writeRate.look(performance.now(), vitals.applied);
        metrics.rateLimit({ target: target.service, partition }, bucket.perSecond());
        // The lane has yet to read what the owner before has left for it.
        const unclean = claimed && lease.data().unclean === true ? { unclean: true } : {};
        return retention.look(lease, claimed, heldFrom, () => ({ ...laneRecord(options), ...unclean }));
      });
    looking = next;
    return next;
  }

  /** Keeps what a next owner and the lane table have to know in the lane's record. */
  function keepRecord(lease: Lease, source: LanePullSource): void {
    let busy = false;
    const timer = setInterval(() => {
      if (!lease.valid()) clearInterval(timer);
      else if (!busy) {
        busy = true;
        void look(lease, false, source.oldestInHand())
          .catch(() => undefined)
          .finally(() => {
            busy = false;
          });
      }
    }, leaseMs * RECORD_EVERY);
    timer.unref();
    void lease.lost.then(() => clearInterval(timer));
  }

  return {
    async claim() {
      if (!options.mayClaim() || !(await options.repartition.ready(partitioning()))) return undefined;
      const lease = await acquireLease(storeLink, {
        bucket: BUCKETS.leases,
        key: lane,
        owner: options.replica,
        watcher: options.watcher,
        timings: leaseTimings(leaseMs),
      });
      if (lease === 'held') return undefined;
      try {
        carried = await options.repartition.begin(lease, partitioning());
      } catch (error) {
        await lease.release();
        throw error;
      }
      valid = lease.valid;
      return lease;
    },
    async openSource(lease, limits) {
      const ensure = async (): Promise<void> => {
        const floor = lease.data().ackFloor ?? (carried && startAfter(carried, ownsSlot));
        await ensureConsumer(storeLink, {
          stream: STREAMS.changes,
          durable: lane,
          filters: laneFilters(target, partition),
          ackWaitMs: ackWait,
          maxAckPending: limits.messages + 1,
          // A new target starts with what comes now; a durable that was lost goes on behind its last ack floor.
          ...(typeof floor === 'number' ? { startAfterSequence: floor } : { deliverNew: true }),
        });
      };
      await ensure();
      // Before anything is pulled: nobody has in hand what was delivered before.
      await look(lease, true, undefined);
      const source = createPullSource(link, { stream: STREAMS.changes, durable: lane, limits, ackWaitMs: ackWait });
      const watching = source.events.subscribe((event) => {
        if (event.type !== 'consumer-missing' || !lease.valid()) return;
        log.warn({ lane }, 'the consumer of the lane is gone; it is made again behind the last ack floor');
        void ensure()
          .then(() => look(lease, true, source.oldestInHand()))
          .catch((error: unknown) => log.warn({ lane, err: error }, 'the consumer could not be made again yet'));
      });
      keepRecord(lease, source);
      void lease.lost.then(() => watching.unsubscribe());
      return passOver(source, carried);
    },
    ports(epoch) {
      const leaseValid = valid;
      const trying = { valid: leaseValid, onTrouble: storeTrouble(lane, log, vitals) };
      return {
        store: createLaneStore({
          link: storeLink,
          publisher: options.publisher,
          target: target.service,
          partition,
          partitions: target.partitions,
          ...trying,
        }),
        suspects: {
          read: () => whileOurs(() => readSuspects(storeLink, lane), trying),
          write: async (notes) => {
            if (!leaseValid()) throw new StreamError('lease-lost', `${lane} is no longer ours`);
            await whileOurs(() => writeSuspects(storeLink, lane, notes), trying);
          },
        },
        connect: async () => {
          const config = resolveConnection(connector.spec, target.connection, options.secrets);
          return connector.open(config, { lane, epoch, valid: leaseValid });
        },
        observe: laneObserver(options),
        guard: options.controls.guards.of(target.service, leaseValid),
        ackFloor,
        ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
      };
    },
    async limit(statements, signal) {
      const before = performance.now();
      await bucket.take(statements, signal);
      return performance.now() - before;
    },
    throttled(retryAfterMs) {
      bucket.throttled(retryAfterMs);
      const { perSecond } = rateLimitOf(bucket, target);
      metrics.throttled({ target: target.service, partition }, perSecond);
      log.warn({ lane, retryAfterMs, perSecond }, 'the target asks to slow down; its rate is lowered for a while');
    },
  };
}

/** How a lane fares, as the lane table shows it; the rest of its record is about where to go on. */
function laneRecord({ target, partition, vitals, bucket }: LaneHostOptions): Readonly<Record<string, unknown>> {
  return {
    target: target.service,
    partition,
    held: vitals.held,
    parked: vitals.parked,
    oldestHeldAt: vitals.oldestHeldAt ?? null,
    targetState: vitals.target,
    lastError: vitals.lastError ?? presentTrouble(vitals) ?? null,
    applied: vitals.applied,
    perSecond: vitals.perSecond,
    heldFields: vitals.heldFields,
    rateLimit: rateLimitOf(bucket, target),
  };
}

import type { DrainAnswer } from '../../actors/asset-coalescer/coalescer-messages.ts';
import type { ActorRef } from '../../actors/kernel/actor-ref.ts';
import type { ActorSystem } from '../../actors/kernel/actor-system.ts';
import { restart } from '../../actors/kernel/supervision.ts';
import { type LaneMessage, type LaneStatus, lane } from '../../actors/lane/lane.ts';
import type { Connector } from '../../connectors/contract.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { LeaseView } from '../../streams/nats/lease-view.ts';
import type { LeaseWatcher } from '../../streams/nats/lease-watcher.ts';
import { forgetLease, LEASE_MS, leaseTimings } from '../../streams/nats/leases.ts';
import { Membership } from '../../streams/nats/membership.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { lookAtConsumer } from '../../streams/nats/stream-look.ts';
import { type AdaptiveBucket, createAdaptiveBucket } from '../../streams/operators/adaptive-bucket.ts';
import type { CompiledConfig, TargetConfig } from '../config/compiled.ts';
import type { SecretSources } from '../config/resolve-secrets.ts';
import type { CatalogueReader } from '../domain/catalogue-reader.ts';
import { BUCKETS, STREAMS } from '../domain/subjects.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ChannelControls } from './channel-controls.ts';
import { balanceTimings } from './judge-lanes.ts';
import { LaneBalancer } from './lane-balancer.ts';
import { createLaneHost } from './lane-host.ts';
import { laneName } from './lane-name.ts';
import { type LaneVitals, newVitals } from './lane-vitals.ts';
import { type RateLimit, rateLimitOf } from './rate-limit.ts';
import { Repartition } from './repartition.ts';
import { ALARM_FROM } from './retention-reach.ts';
import { presentTrouble } from './store-trouble.ts';

/** Bytes that the changes in flight of all lanes of a replica may take together. */
const CREDIT_BYTES = 24 * 1024 * 1024;
/** Changes in flight of one lane. */
const CREDIT_MESSAGES = 4_000;
/** Bytes for the states of resident assets, of all lanes together. */
const CACHE_BYTES = 8 * 1024 * 1024;
const STATUS_TIMEOUT_MS = 2_000;
const DRAIN_TIMEOUT_MS = 14_000;

export interface LaneManagerOptions {
  readonly system: ActorSystem;
  /** Connection that changes are pulled on. */
  readonly link: NatsLink;
  /** Connection for everything else: outcomes, leases, reads. */
  readonly storeLink: NatsLink;
  readonly publisher: Publisher;
  readonly watcher: LeaseWatcher;
  readonly replica: string;
  readonly connector: (name: string) => Connector | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly secrets: SecretSources;
  /** What holds channels back. */
  readonly controls: ChannelControls;
  readonly catalogue?: CatalogueReader;
  /** See `LaneHostOptions`. */
  readonly leaseMs?: number;
  /** Changes in flight of one lane. Default 2,000. */
  readonly creditMessages?: number;
}

/** A lane's row as people see it. */
export interface LaneRow extends LaneStatus {
  readonly held: number;
  readonly pending: number;
  readonly oldestUnappliedMs: number | undefined;
  readonly target_state: LaneVitals['target'];
  readonly retention: number;
  readonly needsReconcile: LaneVitals['needsReconcile'];
  /** Fields that are not written until a person says so. */
  readonly heldFields: LaneVitals['heldFields'];
  readonly rateLimit: RateLimit;
  readonly applied: number;
  /** Writes in each second of about the last minute. */
  readonly perSecond: number;
}

interface RunningLane {
  readonly ref: ActorRef<LaneMessage>;
  readonly target: TargetConfig;
  readonly partition: number;
  readonly vitals: LaneVitals;
  readonly bucket: AdaptiveBucket;
  /** Its target was removed: it ends when its backlog has. */
  retiring: boolean;
}

/** Keeps one lane actor for each (target, partition) of the configuration in force. */
export class LaneManager {
  readonly #options: LaneManagerOptions;
  readonly #lanes = new Map<string, RunningLane>();
  readonly #paused = new Set<string>();
  readonly #view: LeaseView;
  readonly #membership: Membership;
  readonly #balancer: LaneBalancer;
  readonly #repartition: Repartition;
  #generation = 0;
  #config: CompiledConfig | undefined;

  constructor(options: LaneManagerOptions) {
    this.#options = options;
    const { storeLink, watcher, replica, leaseMs = LEASE_MS } = options;
    const bucket = BUCKETS.leases;
    const timings = leaseTimings(leaseMs);
    this.#view = new LeaseView(storeLink, { bucket, watcher, silentAfterMs: leaseMs });
    this.#membership = new Membership(storeLink, { bucket, replica, watcher, timings });
    const { log } = options;
    this.#repartition = new Repartition({ link: storeLink, view: this.#view, watcher, timings, replica, log });
    this.#balancer = new LaneBalancer({
      replica,
      view: this.#view,
      watcher,
      timings: balanceTimings(leaseMs),
      lanes: () =>
        [...this.#lanes]
          .filter(([, { retiring }]) => !retiring)
          .map(([lane, { target }]) => ({ lane, target: target.service })),
      claim: (lane) => void this.#lanes.get(lane)?.ref.tell({ type: 'free' }),
      handOver: (lane, again) => {
        if (!again) log.info({ lane }, 'the lane is handed over to the replica that it prefers now');
        this.#lanes.get(lane)?.ref.tell({ type: 'hand-over' });
      },
      gone: (key) =>
        void openBucket(storeLink, bucket)
          .remove(key)
          .catch(() => undefined),
    });
  }

  /** Has to be done before the first configuration: whom a lane prefers is known from the leases of all replicas. */
  async open(): Promise<void> {
    await this.#view.open();
    this.#balancer.start();
  }

  /** This replica is ready to write: the others may give it its share of the lanes. Resolves when they can see it. */
  announce(): Promise<void> {
    return this.#membership.announce();
  }

  /** Brings the lanes in line with a configuration. A target whose own settings changed gets new lanes after a drain. */
  async configure(config: CompiledConfig): Promise<void> {
    this.#config = config;
    await Promise.all([...this.#lanes].map(([name, running]) => this.#bringInLine(name, running, config)));
    const lanes = [...config.targets.values()].flatMap((target) =>
      partitionsOf(target).map((partition) => ({ target, partition })),
    );
    for (const { target, partition } of lanes) {
      if (!this.#lanes.has(laneName(target, partition))) this.#spawn(target, partition, config, lanes.length);
    }
    this.#balancer.judge();
  }

  async #bringInLine(name: string, running: RunningLane, config: CompiledConfig): Promise<void> {
    const target = config.targets.get(running.target.service);
    const wasRetiring = running.retiring;
    running.retiring = target === undefined;
    if (target === undefined) {
      if (!wasRetiring) await this.#retire(name, running, config);
    } else if (JSON.stringify(target) !== JSON.stringify(running.target)) {
      await this.#drain(name, running);
    } else {
      await running.ref.offer({ type: 'configure', config });
      if (wasRetiring) await this.pause(target.service, this.#paused.has(target.service));
    }
  }

  /** Pauses or resumes the lanes of a target; remembered for lanes that start later. */
  async pause(target: string, paused: boolean): Promise<void> {
    if (paused) this.#paused.add(target);
    else this.#paused.delete(target);
    for (const running of this.#lanes.values()) {
      if (running.target.service === target)
        await running.ref.offer({ type: 'pause', paused: paused || running.target.paused });
    }
  }

  /** What holds channels back has changed: the lanes look again at what they hold. */
  holdsChanged(): void {
    for (const { ref, target } of this.#lanes.values())
      void ref.offer({ type: 'holds', holds: this.#options.controls.holds(target.service) }).catch(() => undefined);
  }

  async rows(): Promise<readonly LaneRow[]> {
    const rows = [...this.#lanes.entries()].map(
      async ([name, { ref, target, partition, vitals, bucket }]): Promise<LaneRow> => {
        const status = await ref
          .ask<LaneStatus>((replyTo) => ({ type: 'status', replyTo }), { timeoutMs: STATUS_TIMEOUT_MS })
          .catch(
            (): LaneStatus => ({
              lane: name,
              target: target.service,
              partition,
              phase: 'stopped',
              epoch: undefined,
              lastError: undefined,
            }),
          );
        const pending = (await this.#pending(name)) ?? 0;
        return {
          ...status,
          held: vitals.held,
          pending,
          oldestUnappliedMs: vitals.oldestHeldAt === undefined ? undefined : Date.now() - vitals.oldestHeldAt,
          target_state: vitals.target,
          retention: vitals.retention,
          needsReconcile: vitals.needsReconcile,
          heldFields: vitals.heldFields,
          rateLimit: rateLimitOf(bucket, target),
          applied: vitals.applied,
          perSecond: vitals.perSecond,
          lastError: vitals.lastError ?? presentTrouble(vitals) ?? status.lastError,
        };
      },
    );
    return Promise.all(rows);
  }

  /** `ok`, or which targets lose changes or soon will, for people. */
  retention(): string {
    const words = [...this.#lanes.values()].flatMap(({ target, vitals }) => {
      if (vitals.needsReconcile !== undefined) return [`${target.service} needs to be reconciled`];
      return vitals.retention >= ALARM_FROM ? [`${target.service} will soon lose changes`] : [];
    });
    return words.length === 0 ? 'ok' : [...new Set(words)].join(', ');
  }

  /** Gives every lane up in order and leaves the other replicas; what was not dispatched goes back to the stream. */
  async drain(): Promise<number> {
    // No lane is claimed any more, and the others are told to expect those that are here.
    this.#balancer.stop();
    await this.#membership.leave();
    const answers = await Promise.all([...this.#lanes].map(([name, running]) => this.#drain(name, running)));
    this.#view.close();
    await this.#membership.forget();
    return answers.reduce((sum, { returned }) => sum + returned, 0);
  }

  async #drain(name: string, running: RunningLane): Promise<DrainAnswer> {
    this.#lanes.delete(name);
    this.#options.metrics.laneGone({ target: running.target.service, partition: running.partition });
    return running.ref
      .ask<DrainAnswer>((replyTo) => ({ type: 'drain', replyTo }), { timeoutMs: DRAIN_TIMEOUT_MS })
      .catch((): DrainAnswer => ({ returned: 0 }));
  }

  /** A removed target: its backlog ends with an outcome each, then the lane goes, and its consumer with it. */
  async #retire(name: string, running: RunningLane, config: CompiledConfig): Promise<void> {
    const { log, storeLink } = this.#options;
    await running.ref.offer({ type: 'configure', config });
    await running.ref.offer({ type: 'pause', paused: false });
    const finish = async (): Promise<void> => {
      // Undefined says that NATS cannot be asked now, not that nothing waits.
      while ((await this.#pending(name)) !== 0 || running.vitals.held > 0) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        // The target is back, or the service ends.
        if (!running.retiring || this.#lanes.get(name) !== running) return;
      }
      await this.#drain(name, running);
      await storeLink.jsm.consumers.delete(STREAMS.changes, name).catch(() => undefined);
      // Where it stood is nothing to a target of the same name that comes later: it begins with what is new then.
      await forgetLease(storeLink, BUCKETS.leases, name);
    };
    void finish().catch((error: unknown) =>
      log.warn(
        { lane: name, problem: error instanceof Error ? error.message : 'failed' },
        'a removed lane could not be closed',
      ),
    );
  }

  /** Changes that the lane has not settled; 0 when it has no consumer, undefined when NATS cannot be asked. */
  async #pending(name: string): Promise<number | undefined> {
    try {
      const { undelivered, unacked } = await lookAtConsumer(this.#options.storeLink, STREAMS.changes, name);
      return undelivered + unacked;
    } catch (error) {
      return error instanceof StreamError && error.code === 'not-found' ? 0 : undefined;
    }
  }

  #spawn(target: TargetConfig, partition: number, config: CompiledConfig, lanes: number): void {
    const { system, connector: find, log } = this.#options;
    const connector = find(target.connector);
    if (connector === undefined) {
      log.error({ target: target.service, connector: target.connector }, 'no such connector; the target is not served');
      return;
    }
    const name = laneName(target, partition);
    const vitals = newVitals();
    const perSecond = target.rate.perSecond / target.partitions;
    const bucket = createAdaptiveBucket({ perSecond, burst: Math.max(1, target.rate.burst / target.partitions) });
    const mayClaim = (): boolean => this.#balancer.mayClaim(name);
    const host = createLaneHost({
      ...this.#options,
      configRevision: () => (this.#config ?? config).revision,
      target,
      partition,
      connector,
      bucket,
      vitals,
      mayClaim,
      repartition: this.#repartition,
    });
    this.#generation += 1;
    const ref = system.spawn(
      lane({
        lane: name,
        target: target.service,
        partition,
        connector,
        settings: () => ({
          config: this.#config ?? config,
          paused: target.paused || this.#paused.has(target.service),
          holds: this.#options.controls.holds(target.service),
        }),
        limits: {
          messages: this.#options.creditMessages ?? CREDIT_MESSAGES,
          bytes: Math.max(Math.floor(CREDIT_BYTES / lanes), this.#options.link.maxPayload()),
        },
        batchSize: target.rate.batch,
        cacheBytes: Math.floor(CACHE_BYTES / lanes),
        host,
        random: Math.random,
      }),
      {
        name: `${name}-${this.#generation}`,
        type: 'lane',
        mailbox: { capacity: 256, overflow: 'wait' },
        // A lane never stays down: it is tried again for as long as it is configured.
        supervision: restart({ maxRestarts: Number.POSITIVE_INFINITY }),
        stopTimeoutMs: 15_000,
      },
    );
    this.#lanes.set(name, { ref, target, partition, vitals, bucket, retiring: false });
  }
}

function partitionsOf(target: TargetConfig): number[] {
  return Array.from({ length: target.partitions }, (_, partition) => partition);
}

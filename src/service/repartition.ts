import { z } from 'zod';
import { apiRequest } from '../../streams/nats/api-request.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Lease } from '../../streams/nats/contract.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import type { LeaseView } from '../../streams/nats/lease-view.ts';
import type { LeaseWatcher } from '../../streams/nats/lease-watcher.ts';
import { acquireLease, type LeaseTimings } from '../../streams/nats/leases.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { lookAtConsumer, lookAtStream } from '../../streams/nats/stream-look.ts';
import { BUCKETS, encodeToken, STREAMS } from '../domain/subjects.ts';
import type { Log } from '../telemetry/log.ts';
import { type CarriedFloors, carryFloors, type LeftLane, parseCarriedFloors } from './carried-floors.ts';
import { type NamedLane, parseLaneName } from './lane-name.ts';
import { readRetention } from './retention-record.ts';

export interface RepartitionOptions {
  readonly link: NatsLink;
  readonly view: LeaseView;
  readonly watcher: LeaseWatcher;
  readonly timings: LeaseTimings;
  readonly replica: string;
  readonly log: Log;
}

/** A target as it is partitioned by the configuration of this revision. */
export interface Partitioning {
  readonly target: string;
  readonly partitions: number;
  readonly revision: number;
}

/** A lane of the target that has a record, of whichever partitioning. */
interface KnownLane extends NamedLane {
  readonly key: string;
  /** Its partitioning was left for another one. */
  readonly replaced: boolean;
}

/**
 * Changes the number of partitions of a target without losing or repeating anything. The lanes before are ended in order: their leases
 * are taken, which waits for their owners; where each slot stands is written down; only then are they marked as replaced, and their
 * consumers go. The lanes that follow start there. Every step may be repeated, by any replica, after a crash.
 */
export class Repartition {
  readonly #options: RepartitionOptions;
  /** One at a time for each target in this process: its lanes all ask. */
  readonly #running = new Map<string, Promise<boolean>>();
  /** What was written here, which the view may not show yet. */
  readonly #written = new Map<string, CarriedFloors>();

  constructor(options: RepartitionOptions) {
    this.#options = options;
  }

  /** Whether the lanes of this partitioning may run now; false: those before are not ended yet, ask again. Costs nothing in the usual case. */
  async ready(wanted: Partitioning): Promise<boolean> {
    const lanes = this.#lanesOf(wanted.target);
    const earlier = lanes.filter(({ partitions, replaced }) => partitions !== wanted.partitions && !replaced);
    // This very partitioning was left once, and is back, or we do not know yet that it was left.
    const wasReplaced = lanes.some(({ partitions, replaced }) => partitions === wanted.partitions && replaced);
    if (earlier.length === 0 && !wasReplaced) return true;
    const running = this.#running.get(wanted.target);
    if (running !== undefined) return running;
    const moving = this.#move(wanted, earlier).finally(() => this.#running.delete(wanted.target));
    this.#running.set(wanted.target, moving);
    return moving;
  }

  /**
   * Makes a lane that was just claimed fit to start, and tells where the lanes before it have left off; undefined: there were none, or
   * none that is not behind us.
   */
  async begin(lease: Lease, wanted: Partitioning): Promise<CarriedFloors | undefined> {
    const carried = await this.#carried(wanted);
    const data = lease.data();
    const isBack = data.replacedBy !== undefined;
    // What this partitioning knew of its place the last time is long past.
    if (isBack) await this.#removeConsumer(lease.key);
    if (isBack || (carried !== undefined && data.ackFloor === undefined)) await lease.update(heritage(carried));
    return carried;
  }

  async #carried({ target, partitions }: Partitioning): Promise<CarriedFloors | undefined> {
    const key = carryKey(target);
    const known = this.#options.view.get(key) === undefined ? this.#written.get(target) : await this.#read(key);
    return known?.partitions === partitions ? known : undefined;
  }

  async #move(wanted: Partitioning, earlier: readonly KnownLane[]): Promise<boolean> {
    const { link, log } = this.#options;
    const { multiFilter, version } = link.capabilities();
    if (wanted.partitions > 1 && !multiFilter) {
      const message = `${wanted.target} cannot be divided into ${wanted.partitions} partitions on NATS ${version} (2.10 or newer can); set partitions to 1, or upgrade`;
      throw new StreamError('unsupported-by-server', message);
    }
    const key = carryKey(wanted.target);
    const before = await this.#read(key);
    // Another replica has a newer configuration already; ours is about to come.
    if (before !== undefined && before.revision > wanted.revision) return false;
    if (earlier.length === 0) return before?.partitions === wanted.partitions;
    const leases = await this.#takeAll(earlier);
    if (leases === undefined) return false;
    try {
      const left = await Promise.all(earlier.map((lane, i) => this.#left(lane, leases[i])));
      const { last } = await lookAtStream(link, STREAMS.changes);
      const place = {
        revision: wanted.revision,
        partitions: wanted.partitions,
        floors: carryFloors(left, before, last),
        unclean:
          leases.some((lease) => lease.takenOver || lease.data().unclean === true) ||
          (before?.revision === wanted.revision && before.unclean),
      };
      const lost = leases.map((lease) => readRetention(lease.data()).needsReconcile).find((one) => one !== undefined);
      const needsReconcile = lost ?? (before?.revision === wanted.revision ? before.needsReconcile : undefined);
      const carried: CarriedFloors = { ...place, ...(needsReconcile === undefined ? {} : { needsReconcile }) };
      await openBucket(link, BUCKETS.leases).put(key, JSON.stringify(carried));
      this.#written.set(wanted.target, carried);
      for (const lease of leases) await lease.update({ replacedBy: wanted.partitions });
      for (const lane of earlier) await this.#removeConsumer(lane.key);
      log.info(
        { ...wanted, lanes: earlier.map((lane) => lane.key) },
        'the lanes of the earlier partitioning are ended',
      );
      return true;
    } finally {
      await Promise.all(leases.map((lease) => lease.release()));
    }
  }

  async #takeAll(lanes: readonly KnownLane[]): Promise<readonly Lease[] | undefined> {
    const { link, watcher, timings, replica } = this.#options;
    const taken: Lease[] = [];
    for (const { key } of lanes) {
      const options = { bucket: BUCKETS.leases, key, owner: replica, watcher, timings };
      const lease = await acquireLease(link, options).catch(() => 'held' as const);
      if (lease === 'held') {
        // Its owner still drains.
        await Promise.all(taken.map((one) => one.release()));
        return undefined;
      }
      taken.push(lease);
    }
    return taken;
  }

  async #left({ key, partition, partitions }: KnownLane, lease: Lease | undefined): Promise<LeftLane> {
    const recorded = lease?.data().ackFloor;
    const consumer = await unlessMissing(lookAtConsumer(this.#options.link, STREAMS.changes, key));
    const ackFloor = consumer?.ackFloor ?? (typeof recorded === 'number' ? recorded : undefined);
    return { partition, partitions, ackFloor };
  }

  async #removeConsumer(durable: string): Promise<void> {
    const subject = `CONSUMER.DELETE.${STREAMS.changes}.${durable}`;
    await unlessMissing(apiRequest(this.#options.link, subject, undefined, z.object({}), `end the lane ${durable}`));
  }

  async #read(key: string): Promise<CarriedFloors | undefined> {
    const entry = await openBucket(this.#options.link, BUCKETS.leases).get(key);
    return entry === undefined ? undefined : parseCarriedFloors(entry.value);
  }

  #lanesOf(target: string): readonly KnownLane[] {
    return [...this.#options.view.all()].flatMap(({ key, record }) => {
      const named = parseLaneName(key);
      return named?.target === target ? [{ ...named, key, replaced: record?.data.replacedBy !== undefined }] : [];
    });
  }
}

/** Undefined: there is no such consumer. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StreamError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** What the record of a lane that follows starts with. */
function heritage(carried: CarriedFloors | undefined): Readonly<Record<string, unknown>> {
  return {
    ...(carried?.unclean === true ? { unclean: true } : {}),
    ...(carried?.needsReconcile === undefined ? {} : { needsReconcile: carried.needsReconcile }),
  };
}

function carryKey(target: string): string {
  return `carry.${encodeToken(target)}`;
}

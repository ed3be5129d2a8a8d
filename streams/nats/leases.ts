import { nuid } from '@nats-io/nats-core';
import { type Clock, systemClock } from '../operators/clock.ts';
import type { NatsLink } from './connection.ts';
import type { Lease } from './contract.ts';
import { type KvBucket, type KvEntry, openBucket } from './kv-bucket.ts';
import { type LeaseRecord, parseLeaseRecord } from './lease-record.ts';
import type { LeaseWatcher } from './lease-watcher.ts';
import { StreamError } from './stream-error.ts';

/** Milliseconds. A rival must wait longer than an owner believes in its lease, or two would write at once. */
export interface LeaseTimings {
  readonly renewEvery: number;
  /** An owner without a successful renewal for so long stops. */
  readonly validFor: number;
  /** A rival takes a lease whose revision stood still for so long. */
  readonly takeAfter: number;
  /** For one request. */
  readonly timeout: number;
}

/** The proportions of 3 s, 6 s, 10 s and 2 s, for a lease that a rival may take after another time (milliseconds). */
export function leaseTimings(takeAfter: number): LeaseTimings {
  return { renewEvery: takeAfter * 0.3, validFor: takeAfter * 0.6, takeAfter, timeout: takeAfter * 0.2 };
}

/** What a rival waits unless something else is said, milliseconds. */
export const LEASE_MS = 10_000;

export const LEASE_TIMINGS: LeaseTimings = leaseTimings(LEASE_MS);

export interface LeaseOptions {
  readonly bucket: string;
  readonly key: string;
  /** This process; shown to people. */
  readonly owner: string;
  readonly watcher: LeaseWatcher;
  readonly timings?: LeaseTimings;
  readonly clock?: Clock;
  /** Data of the record from now on; without it the data that stands there is kept. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Tries once to take a lease: `held` when another has it. Whoever wants it asks again, every second or so, since the watcher
 * has to see the revision stand still. Errors: `StreamError` when NATS cannot be asked.
 */
export async function acquireLease(link: NatsLink, options: LeaseOptions): Promise<Lease | 'held'> {
  const timings = options.timings ?? LEASE_TIMINGS;
  if (timings.validFor >= timings.takeAfter) throw new RangeError('validFor has to be shorter than takeAfter');
  const clock = options.clock ?? systemClock;
  const bucket = openBucket(link, options.bucket);
  const entry = await bucket.get(options.key, timings.timeout);
  if (entry !== undefined && !isFree(entry, options.watcher, timings)) return 'held';

  const kept = entry === undefined ? {} : (parseLeaseRecord(entry.value)?.data ?? {});
  const data = options.data === undefined ? kept : { ...options.data };
  const record: LeaseRecord = { owner: options.owner, holder: nuid.next(), released: false, beat: 0, data };
  const startedAt = clock.now();
  const epoch = await take(bucket, options.key, entry, record, timings);
  if (epoch === undefined) return 'held';
  return new HeldLease(
    { bucket, key: options.key, watcher: options.watcher, timings, clock },
    record,
    epoch,
    startedAt,
    entry !== undefined && parseLeaseRecord(entry.value)?.released !== true,
  );
}

/**
 * Takes away what the next owner of a lease would have had to know: what it is about has ended. Does nothing while somebody holds it, or
 * takes it at the same time. Errors: `StreamError` when NATS cannot be asked.
 */
export async function forgetLease(link: NatsLink, bucketName: string, key: string): Promise<void> {
  const bucket = openBucket(link, bucketName);
  const entry = await bucket.get(key);
  const record = entry === undefined ? undefined : parseLeaseRecord(entry.value);
  if (entry === undefined || record?.released !== true) return;
  try {
    await bucket.update(key, JSON.stringify({ ...record, data: {} }), entry.revision);
  } catch (error) {
    if (!(error instanceof StreamError) || error.code !== 'conflict') throw error;
  }
}

function isFree(entry: KvEntry, watcher: LeaseWatcher, timings: LeaseTimings): boolean {
  if (parseLeaseRecord(entry.value)?.released === true) return true;
  if (watcher.isOwnAbandoned(entry.key, entry.revision)) return true;
  return watcher.unchangedFor(entry.key, entry.revision) >= timings.takeAfter;
}

/** The revision of our record, or undefined when somebody else was faster. */
async function take(
  bucket: KvBucket,
  key: string,
  entry: KvEntry | undefined,
  record: LeaseRecord,
  timings: LeaseTimings,
): Promise<number | undefined> {
  const text = JSON.stringify(record);
  try {
    if (entry === undefined) return await bucket.create(key, text, timings.timeout);
    return await bucket.update(key, text, entry.revision, timings.timeout);
  } catch (error) {
    if (!isInDoubt(error)) throw error;
    // A timeout says nothing, and a conflict may be with our own first try: the record itself tells whose it is.
    const found = await bucket.get(key, timings.timeout);
    const ours = found !== undefined && parseLeaseRecord(found.value)?.holder === record.holder;
    if (ours) return found.revision;
    if (error instanceof StreamError && error.code === 'conflict') return undefined;
    throw error;
  }
}

function isInDoubt(error: unknown): boolean {
  return error instanceof StreamError && ['conflict', 'timeout', 'no-responders'].includes(error.code);
}

interface Surroundings {
  readonly bucket: KvBucket;
  readonly key: string;
  readonly watcher: LeaseWatcher;
  readonly timings: LeaseTimings;
  readonly clock: Clock;
}

/** States: held → lost (renewals failed for too long, or another took it) or released; both for good. */
class HeldLease implements Lease {
  readonly key: string;
  readonly epoch: number;
  readonly takenOver: boolean;
  readonly lost: Promise<void>;
  readonly #around: Surroundings;
  #record: LeaseRecord;
  #revision: number;
  /** When the last write that succeeded was begun. */
  #confirmedAt: number;
  #state: 'held' | 'lost' | 'released' = 'held';
  #tellLost: () => void = () => undefined;
  #cancelRenewal: () => void = () => undefined;
  #cancelExpiry: () => void = () => undefined;
  /** Writes follow one another, each based on the revision of the one before. */
  #writes: Promise<void> = Promise.resolve();

  constructor(around: Surroundings, record: LeaseRecord, epoch: number, confirmedAt: number, takenOver: boolean) {
    this.#around = around;
    this.key = around.key;
    this.epoch = epoch;
    this.takenOver = takenOver;
    this.#record = record;
    this.#revision = epoch;
    this.#confirmedAt = confirmedAt;
    this.lost = new Promise((resolve) => {
      this.#tellLost = resolve;
    });
    this.#watchExpiry();
    this.#renewIn(around.timings.renewEvery);
  }

  readonly valid = (): boolean => {
    const { clock, timings } = this.#around;
    return this.#state === 'held' && clock.now() - this.#confirmedAt < timings.validFor;
  };

  readonly data = (): Readonly<Record<string, unknown>> => this.#record.data;

  update(data: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#write({ data: { ...data } });
  }

  /** Best effort: when NATS cannot be reached, rivals find out by themselves. */
  async release(): Promise<void> {
    if (this.#state !== 'held') return;
    await this.#write({ released: true }).catch(() => undefined);
    this.#end('released');
  }

  #renewIn(ms: number): void {
    const { clock, timings } = this.#around;
    this.#cancelRenewal = clock.after(ms, () => {
      this.#write({}).then(
        () => this.#state === 'held' && this.#renewIn(timings.renewEvery),
        // Sooner than usual: there is not much time left.
        () => this.#state === 'held' && this.#renewIn(timings.renewEvery / 4),
      );
    });
  }

  #watchExpiry(): void {
    const { clock, timings } = this.#around;
    this.#cancelExpiry = clock.after(Math.max(0, this.#confirmedAt + timings.validFor - clock.now()), () => {
      if (this.valid()) this.#watchExpiry();
      else this.#lose();
    });
  }

  #write(change: Partial<Pick<LeaseRecord, 'data' | 'released'>>): Promise<void> {
    const write = this.#writes.then(() => this.#writeNow(change));
    this.#writes = write.catch(() => undefined);
    return write;
  }

  async #writeNow(change: Partial<Pick<LeaseRecord, 'data' | 'released'>>): Promise<void> {
    const { bucket, key, clock, timings } = this.#around;
    const next: LeaseRecord = { ...this.#record, ...change, beat: this.#record.beat + 1 };
    const text = JSON.stringify(next);
    const startedAt = clock.now();
    for (let tries = 0; ; tries += 1) {
      if (this.#state !== 'held') throw this.#lostError();
      try {
        this.#confirm(await bucket.update(key, text, this.#revision, timings.timeout), next, startedAt);
        return;
      } catch (error) {
        if (!isInDoubt(error) || tries === 2) throw error;
        const found = await bucket.get(key, timings.timeout);
        if (found?.value === text) {
          this.#confirm(found.revision, next, startedAt);
          return;
        }
        if (found === undefined || parseLeaseRecord(found.value)?.holder !== next.holder) {
          this.#lose();
          throw this.#lostError();
        }
        // An earlier write of ours came through late: go on from there.
        this.#revision = found.revision;
      }
    }
  }

  #confirm(revision: number, record: LeaseRecord, startedAt: number): void {
    this.#revision = revision;
    this.#record = record;
    this.#confirmedAt = startedAt;
  }

  #lose(): void {
    if (this.#state !== 'held') return;
    this.#around.watcher.abandon(this.key, this.#revision);
    this.#end('lost');
    this.#tellLost();
  }

  #end(state: 'lost' | 'released'): void {
    this.#state = state;
    this.#cancelRenewal();
    this.#cancelExpiry();
  }

  #lostError(): StreamError {
    return new StreamError('lease-lost', `The lease ${this.key} (epoch ${this.epoch}) is no longer ours`);
  }
}

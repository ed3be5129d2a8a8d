import { setTimeout as sleep } from 'node:timers/promises';
import type { KvWatchEntry } from '@nats-io/kv';
import { type Observable, Subject } from 'rxjs';
import { systemClock } from '../operators/clock.ts';
import type { NatsLink } from './connection.ts';
import { type BucketFollower, followBucket } from './follow-bucket.ts';
import { openBucket } from './kv-bucket.ts';
import { type LeaseRecord, parseLeaseRecord } from './lease-record.ts';
import type { LeaseWatcher } from './lease-watcher.ts';

/** A lease as this process sees it. */
export interface SeenLease {
  readonly key: string;
  readonly revision: number;
  /** Undefined: a text that is no lease record. */
  readonly record: LeaseRecord | undefined;
  /** Monotonic milliseconds at which the present holder was first seen with the present data. */
  readonly since: number;
}

export interface LeaseViewOptions {
  readonly bucket: string;
  readonly watcher: LeaseWatcher;
  /** Something moves in the bucket at least so often (our own renewal), milliseconds; otherwise the watch is not believed. */
  readonly silentAfterMs: number;
}

/**
 * All leases of a bucket, kept up to date by the server's watch, so that nobody has to ask for them again and again. It may be behind:
 * what it says is a reason to try, the compare-and-set decides. A silent watch is opened again and everything is read anew.
 */
export class LeaseView {
  /** Hot: a lease came, went, or changed hands or data; renewals alone are not told. */
  readonly changes: Observable<void>;
  readonly #changes = new Subject<void>();
  readonly #seen = new Map<string, SeenLease>();
  readonly #link: NatsLink;
  readonly #options: LeaseViewOptions;
  #heardAt: number;
  /** Time without a connection is nobody else's silence. */
  #connectedAt: number;
  #closed = false;
  #follower: BucketFollower | undefined;
  #stopListening: () => void = () => undefined;

  constructor(link: NatsLink, options: LeaseViewOptions) {
    this.#link = link;
    this.#options = options;
    this.#heardAt = systemClock.now();
    this.#connectedAt = this.#heardAt;
    this.changes = this.#changes.asObservable();
  }

  /** Resolves when all leases have been read once. */
  async open(): Promise<void> {
    const listening = this.#link.events.subscribe((event) => {
      if (event.type !== 'reconnected') return;
      this.#connectedAt = systemClock.now();
      void this.#read().catch(() => undefined);
    });
    this.#stopListening = () => listening.unsubscribe();
    await this.#read();
    if (this.#closed) return;
    this.#follower = followBucket(this.#link, this.#options.bucket, '>', (entry) => this.#hear(entry));
    void this.#distrustSilence();
  }

  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#follower?.close();
    this.#changes.complete();
  }

  get(key: string): SeenLease | undefined {
    return this.#seen.get(key);
  }

  all(): Iterable<SeenLease> {
    return this.#seen.values();
  }

  /** Milliseconds since the lease was last seen to move, or since the connection came back when that was later. */
  quietFor({ key, revision }: SeenLease): number {
    return Math.min(this.#options.watcher.unchangedFor(key, revision), systemClock.now() - this.#connectedAt);
  }

  async #read(): Promise<void> {
    const entries = await openBucket(this.#link, this.#options.bucket).entries('>');
    if (this.#closed) return;
    this.#heardAt = systemClock.now();
    const present = new Set(entries.map(({ key }) => key));
    for (const key of this.#seen.keys()) if (!present.has(key)) this.#forget(key);
    for (const { key, revision, value } of entries) this.#take(key, revision, value);
  }

  #hear(entry: KvWatchEntry): void {
    this.#heardAt = systemClock.now();
    if (entry.operation === 'PUT') this.#take(entry.key, entry.revision, entry.string());
    else if (entry.revision > (this.#seen.get(entry.key)?.revision ?? 0)) this.#forget(entry.key);
  }

  async #distrustSilence(): Promise<void> {
    const { silentAfterMs } = this.#options;
    while (!this.#closed && !this.#link.nc.isClosed()) {
      await sleep(silentAfterMs / 2, undefined, { ref: false });
      if (this.#closed || !this.#link.connected() || systemClock.now() - this.#heardAt < silentAfterMs) continue;
      this.#follower?.renew();
      await this.#read().catch(() => undefined);
    }
  }

  #take(key: string, revision: number, value: string): void {
    const before = this.#seen.get(key);
    if (before !== undefined && before.revision >= revision) return;
    const record = parseLeaseRecord(value);
    // Starts the clock for this revision.
    this.#options.watcher.unchangedFor(key, revision);
    const renewed = before !== undefined && sameHold(before.record, record);
    const since = renewed ? before.since : systemClock.now();
    this.#seen.set(key, { key, revision, record, since });
    if (!renewed) this.#changes.next();
  }

  #forget(key: string): void {
    this.#options.watcher.forget(key);
    if (this.#seen.delete(key)) this.#changes.next();
  }
}

function sameHold(a: LeaseRecord | undefined, b: LeaseRecord | undefined): boolean {
  return a?.holder === b?.holder && a?.released === b?.released && a?.data.state === b?.data.state;
}

import type { Subscription } from 'rxjs';
import type { LeaseView, SeenLease } from '../../streams/nats/lease-view.ts';
import type { LeaseWatcher } from '../../streams/nats/lease-watcher.ts';
import { isMemberKey, memberKey } from '../../streams/nats/membership.ts';
import { type AssignableLane, rememberAssignments } from './assign-lanes.ts';
import { type BalanceTimings, judgeLanes, type LaneVerdict, type SeenLane, type SeenMember } from './judge-lanes.ts';

export interface LaneBalancerOptions {
  readonly replica: string;
  readonly view: LeaseView;
  readonly watcher: LeaseWatcher;
  readonly timings: BalanceTimings;
  /** The lanes of the configuration in force. */
  readonly lanes: () => readonly AssignableLane[];
  /** Told when a lane should be claimed now. */
  readonly claim: (lane: string) => void;
  /** Told until it is done; `again`: it has been told already. */
  readonly handOver: (lane: string, again: boolean) => void;
  /** Told about a record of a replica that is gone without having said so; it is of no use any more. */
  readonly gone: (key: string) => void;
  readonly now?: () => number;
}

/** Changes that come together are judged together, milliseconds. */
const GATHER_MS = 10;

/**
 * Decides which lanes this replica asks for and which it gives up, from what the leases show: at every change of hands, and now and
 * then, since the silence of others changes nothing that could be told.
 */
export class LaneBalancer {
  readonly #options: LaneBalancerOptions;
  readonly #now: () => number;
  /** When a lane was first seen free, and when we stood in for its preferred owner. */
  readonly #freeSince = new Map<string, number>();
  readonly #stoodInAt = new Map<string, number>();
  #verdicts: ReadonlyMap<string, LaneVerdict> = new Map();
  readonly #assign = rememberAssignments();
  #gathering: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watching: Subscription | undefined;
  #leaving = false;

  constructor(options: LaneBalancerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  start(): void {
    this.#watching = this.#options.view.changes.subscribe(() => {
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined;
        this.judge();
      }, GATHER_MS);
    });
    this.#timer = setInterval(() => this.judge(), this.#options.timings.goneAfter / 10);
    this.#timer.unref();
  }

  /** From now on nothing is claimed; what is held is left to whoever drains it. */
  stop(): void {
    this.#leaving = true;
    this.#watching?.unsubscribe();
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
  }

  /** Whether this replica is the one that should ask for the lane now. A lane that nobody configured any more may be ended by anybody. */
  mayClaim(lane: string): boolean {
    if (this.#leaving) return false;
    const verdict = this.#verdicts.get(lane);
    if (verdict === 'stand-in') this.#stoodInAt.set(lane, this.#now());
    if (verdict === 'claim') this.#stoodInAt.delete(lane);
    return verdict === undefined || verdict === 'claim' || verdict === 'stand-in';
  }

  /** Looks at everything anew and acts on it. */
  judge(): void {
    if (this.#leaving) return;
    const { replica, timings, lanes, claim, handOver } = this.#options;
    const seen = lanes().map((lane) => this.#see(lane));
    const configured = new Set(seen.map(({ lane }) => lane));
    for (const known of [this.#freeSince, this.#stoodInAt])
      for (const lane of known.keys()) if (!configured.has(lane)) known.delete(lane);
    const before = this.#verdicts;
    this.#verdicts = judgeLanes(replica, this.#members(), seen, timings, this.#assign);
    for (const [lane, verdict] of this.#verdicts) {
      if (verdict === 'claim' || verdict === 'stand-in') claim(lane);
      if (verdict === 'hand-over') handOver(lane, before.get(lane) === verdict);
    }
  }

  #see(lane: AssignableLane): SeenLane {
    const holder = this.#holder(this.#options.view.get(lane.lane));
    const now = this.#now();
    if (holder !== undefined) this.#freeSince.delete(lane.lane);
    const since = this.#freeSince.get(lane.lane) ?? now;
    if (holder === undefined) this.#freeSince.set(lane.lane, since);
    const stoodInAt = this.#stoodInAt.get(lane.lane);
    return { ...lane, holder, freeMs: now - since, standInMs: stoodInAt === undefined ? undefined : now - stoodInAt };
  }

  #holder(lease: SeenLease | undefined): string | undefined {
    if (lease === undefined || lease.record?.released === true) return undefined;
    const { watcher, timings } = this.#options;
    if (watcher.isOwnAbandoned(lease.key, lease.revision)) return undefined;
    if (watcher.unchangedFor(lease.key, lease.revision) >= timings.goneAfter) return undefined;
    // A text that is no record of ours belongs to somebody unknown.
    return lease.record?.owner ?? '';
  }

  #members(): readonly SeenMember[] {
    const { view, replica, timings, gone } = this.#options;
    const members: SeenMember[] = [];
    for (const lease of [...view.all()]) {
      if (!isMemberKey(lease.key) || lease.key === memberKey(replica)) continue;
      const { record } = lease;
      const quietMs = view.quietFor(lease);
      if (quietMs >= 3 * timings.goneAfter) gone(lease.key);
      if (record === undefined || record.released || record.data.state !== 'running') continue;
      members.push({ replica: record.owner, quietMs, knownMs: this.#now() - lease.since });
    }
    return members;
  }
}

import { type AssignableLane, assignLanes } from './assign-lanes.ts';

/** A replica as another one sees it; times on the observer's own monotonic clock, milliseconds. */
export interface SeenMember {
  readonly replica: string;
  /** Since its record last moved. */
  readonly quietMs: number;
  /** Since it was first seen running. */
  readonly knownMs: number;
}

/** A lane as its lease shows it. */
export interface SeenLane extends AssignableLane {
  /** Who holds it; undefined: it is free. */
  readonly holder: string | undefined;
  /** For how long it has been free. */
  readonly freeMs: number;
  /** We hold it although it prefers another, since so long; undefined: not so. */
  readonly standInMs: number | undefined;
}

/** Milliseconds, all in proportion to the lease. */
export interface BalanceTimings {
  /** A replica that was not heard of for so long is gone. */
  readonly goneAfter: number;
  /** Lanes are given up only to a replica that has run for so long: one that flaps shakes nobody. */
  readonly settledAfter: number;
  /** A free lane that its preferred owner did not take for so long is anybody's. */
  readonly standInAfter: number;
  /** Whoever stood in keeps the lane for so long before the preferred owner gets another chance. */
  readonly standInFor: number;
}

export function balanceTimings(leaseMs: number): BalanceTimings {
  return {
    goneAfter: leaseMs,
    settledAfter: leaseMs * 0.3,
    standInAfter: leaseMs * 0.5,
    standInFor: leaseMs * 6,
  };
}

/** `claim`: we prefer it and it is free; `stand-in`: free for too long; `hand-over`: ours, and prefers another; `leave`: nothing to do. */
export type LaneVerdict = 'claim' | 'stand-in' | 'hand-over' | 'leave';

/**
 * What replica `self` has to do about each lane. `others` are the running replicas beside it.
 *
 * Claims count every replica that is alive; hand-overs only those that are settled. So a newcomer takes at once what is free and
 * prefers it, and the others give it the rest of its lanes as soon as it has proven to stay.
 */
export function judgeLanes(
  self: string,
  others: readonly SeenMember[],
  lanes: readonly SeenLane[],
  timings: BalanceTimings,
  assign: typeof assignLanes = assignLanes,
): ReadonlyMap<string, LaneVerdict> {
  const alive = others.filter(({ quietMs }) => quietMs < timings.goneAfter);
  const settled = alive.filter(({ knownMs }) => knownMs >= timings.settledAfter);
  const preferred = assign(lanes, [self, ...alive.map(({ replica }) => replica)]);
  const lasting = assign(lanes, [self, ...settled.map(({ replica }) => replica)]);
  const verdictOf = ({ lane, holder, freeMs, standInMs }: SeenLane): LaneVerdict => {
    if (holder === self) {
      const stands = standInMs !== undefined && standInMs < timings.standInFor;
      // A newcomer that is not settled yet may bring the lane back here: giving it up would only shake it.
      return [lasting, preferred].some((owners) => owners.get(lane) === self) || stands ? 'leave' : 'hand-over';
    }
    if (holder !== undefined) return 'leave';
    if (preferred.get(lane) === self) return 'claim';
    return freeMs >= timings.standInAfter ? 'stand-in' : 'leave';
  };
  return new Map(lanes.map((lane) => [lane.lane, verdictOf(lane)]));
}

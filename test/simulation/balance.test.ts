import { describe, expect, it } from 'vitest';
import { type AssignableLane, assignLanes, rememberAssignments } from '../../src/service/assign-lanes.ts';
import { balanceTimings, judgeLanes } from '../../src/service/judge-lanes.ts';
import { seededRandom } from '../support/seeded-random.ts';

const LEASE_MS = 10_000;
const TIMINGS = balanceTimings(LEASE_MS);
const STEP_MS = 500;
const LANES: readonly AssignableLane[] = Array.from({ length: 12 }, (_, i) => ({
  lane: `lane-t${i}`,
  target: `t${i}`,
}));

interface Replica {
  readonly name: string;
  /** `stuck`: its record moves, but it claims nothing. `frozen`: it does nothing at all, as after SIGSTOP. */
  state: 'well' | 'stuck' | 'frozen';
  /** When its record last moved, and since when it runs. */
  beatAt: number;
  readonly since: number;
  readonly assign: typeof assignLanes;
}

interface Held {
  owner: string;
  renewedAt: number;
  standInAt: number | undefined;
}

/** Replicas that judge the lanes every half second, one after the other, over leases and records that all of them see. */
class BalanceWorld {
  now = 0;
  moves = 0;
  readonly replicas = new Map<string, Replica>();
  readonly held = new Map<string, Held>();
  readonly #freeSince = new Map<string, number>();
  readonly #dead = new Map<string, Replica>();
  #names = 0;

  join(): Replica {
    this.#names += 1;
    const name = `replica-${this.#names}`;
    const assign = rememberAssignments();
    const replica: Replica = { name, state: 'well', beatAt: this.now, since: this.now, assign };
    this.replicas.set(replica.name, replica);
    return replica;
  }

  /** SIGTERM: the lanes are given back at once. */
  leave(name: string): void {
    this.replicas.delete(name);
    for (const [lane, { owner }] of this.held) if (owner === name) this.held.delete(lane);
  }

  /** SIGKILL: nobody is told. */
  kill(name: string): void {
    const replica = this.replicas.get(name);
    if (replica !== undefined) this.#dead.set(name, replica);
    this.replicas.delete(name);
  }

  step(ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += STEP_MS) {
      for (const replica of this.replicas.values()) if (replica.state !== 'frozen') replica.beatAt = this.now;
      for (const lease of this.held.values()) {
        const owner = this.replicas.get(lease.owner);
        if (owner !== undefined && owner.state !== 'frozen') lease.renewedAt = this.now;
      }
      for (const replica of this.replicas.values()) if (replica.state === 'well') this.#act(replica);
    }
  }

  #act(self: Replica): void {
    const seen = LANES.map((lane) => {
      const lease = this.held.get(lane.lane);
      const holder = lease !== undefined && this.now - lease.renewedAt < LEASE_MS ? lease.owner : undefined;
      if (holder !== undefined) this.#freeSince.delete(lane.lane);
      const since = this.#freeSince.get(lane.lane) ?? this.now;
      if (holder === undefined) this.#freeSince.set(lane.lane, since);
      const standInMs = lease?.standInAt === undefined ? undefined : this.now - lease.standInAt;
      return { ...lane, holder, freeMs: this.now - since, standInMs };
    });
    const others = [...this.replicas.values(), ...this.#dead.values()]
      .filter(({ name }) => name !== self.name)
      .map(({ name, beatAt, since }) => ({ replica: name, quietMs: this.now - beatAt, knownMs: this.now - since }));
    for (const [lane, verdict] of judgeLanes(self.name, others, seen, TIMINGS, self.assign)) {
      if (verdict === 'hand-over') this.held.delete(lane);
      if (verdict !== 'claim' && verdict !== 'stand-in') continue;
      this.moves += 1;
      this.#freeSince.delete(lane);
      const standInAt = verdict === 'stand-in' ? this.now : undefined;
      this.held.set(lane, { owner: self.name, renewedAt: this.now, standInAt });
    }
  }

  /** Lane → owner, of those who are well and hold it for certain. */
  owners(): ReadonlyMap<string, string> {
    return new Map([...this.held].map(([lane, { owner }]) => [lane, owner]));
  }

  wanted(): ReadonlyMap<string, string> {
    return assignLanes(LANES, [...this.replicas.keys()]);
  }
}

/** Long enough for a dead replica to be taken for gone and for all lanes to have moved. */
const REST_MS = 3 * LEASE_MS;

describe('replicas that come and go', () => {
  it('always end with each lane at its preferred owner, and then nothing moves any more', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seededRandom(seed);
      const world = new BalanceWorld();
      world.join();
      for (let event = 0; event < 8; event += 1) {
        const names = [...world.replicas.keys()];
        const any = names[Math.floor(random() * names.length)] ?? '';
        const dice = random();
        if (names.length === 1 || dice < 0.4) world.join();
        else if (dice < 0.7) world.leave(any);
        else world.kill(any);
        world.step(Math.floor(random() * 20) * STEP_MS);
      }
      // Whoever stood in for a dead replica keeps the lane for a while.
      world.step(REST_MS + TIMINGS.standInFor);
      const before = world.moves;
      expect([seed, [...world.owners()].sort()]).toEqual([seed, [...world.wanted()].sort()]);
      world.step(REST_MS);
      expect([seed, world.moves - before]).toEqual([seed, 0]);
    }
  });

  it('one that flaps shakes nobody', () => {
    const world = new BalanceWorld();
    world.join();
    world.step(REST_MS);
    const before = world.moves;
    for (let i = 0; i < 20; i += 1) {
      const { name } = world.join();
      world.step(TIMINGS.settledAfter - STEP_MS);
      world.leave(name);
      world.step(2_000);
    }
    expect(world.moves - before).toBe(0);
  });

  it('one that lives and claims nothing: the others stand in, and try it again only now and then', () => {
    const world = new BalanceWorld();
    const first = world.join();
    const second = world.join();
    world.step(REST_MS);
    const wanted = [...world.wanted().values()].filter((owner) => owner === second.name).length;
    expect(wanted).toBe(6);
    world.leave(second.name);
    const stuck = world.join();
    stuck.state = 'stuck';
    world.step(REST_MS);
    expect([...world.owners().values()].every((owner) => owner === first.name)).toBe(true);
    const before = world.moves;
    world.step(10 * TIMINGS.standInFor);
    // Each of its lanes is offered to it once in every such time.
    expect(world.moves - before).toBeLessThanOrEqual(wanted * 10);
    stuck.state = 'well';
    world.step(2 * TIMINGS.standInFor + REST_MS);
    expect([...world.owners()].sort()).toEqual([...world.wanted()].sort());
  });

  it('one that stands still for longer than a lease loses its lanes and gets its share back', () => {
    const world = new BalanceWorld();
    world.join();
    const frozen = world.join();
    world.step(REST_MS);
    frozen.state = 'frozen';
    world.step(REST_MS);
    expect([...world.owners().values()].includes(frozen.name)).toBe(false);
    frozen.state = 'well';
    world.step(REST_MS + TIMINGS.standInFor);
    expect([...world.owners()].sort()).toEqual([...world.wanted()].sort());
  });
});

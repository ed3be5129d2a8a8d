import type { Fault, FaultProxy, Side } from '../support/fault-proxy.ts';
import type { NatsServer } from '../support/nats-server.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import type { ReplicaProcess } from '../support/replica-process.ts';

export const LINKS = ['nats', 'postgres', 'mariadb'] as const;
export type LinkName = (typeof LINKS)[number];

const SERVICE_BEHIND = { postgres: 'pg_sales', mariadb: 'maria_sales' } as const;
const TARGETS = ['pg_sales', 'maria_sales'] as const;
/** How long is waited for the name of a lane's owner. */
const OWNER_MS = 300;

/** A replica with the proxies between it and everything else. */
export interface ChaosReplica {
  readonly process: ReplicaProcess;
  readonly links: Readonly<Record<LinkName, FaultProxy>>;
}

export interface World {
  readonly replicas: readonly ChaosReplica[];
  readonly nats: NatsServer;
  readonly postgres: PostgresServer;
  /** The replica that owns the lane of a target at this moment; undefined where that cannot be told. */
  ownerOf(service: string): Promise<number | undefined>;
}

/** Which replica is hit: the owner of a target's lane, where that is known when the blow falls, else the one with this number. */
interface Aim {
  readonly replica: number;
  readonly ownerOf?: string;
}

type Blow =
  | (Aim & { readonly kind: 'kill -9' | 'SIGTERM' | 'SIGSTOP'; readonly ms: number })
  | { readonly kind: 'nats killed' | 'nats stopped' | 'postgres killed'; readonly ms: number }
  | (Aim & { readonly kind: 'cut'; readonly link: LinkName })
  | (Aim & { readonly kind: 'half-close'; readonly link: LinkName; readonly towards: Side })
  | (Aim & { readonly kind: 'network'; readonly link: LinkName; readonly fault: Fault; readonly ms: number })
  /** A replica that is cut off from everything at once, and does not know why. */
  | (Aim & { readonly kind: 'partition'; readonly fault: Fault; readonly ms: number });

/** Something bad that happens `at` milliseconds after the beginning of a round. */
export type Strike = Blow & { readonly at: number };

/** What happens in a round, from its seed alone. `leaseMs`: pauses and partitions last up to some times longer. */
export function planStrikes(
  random: () => number,
  { lastsMs, everyMs, leaseMs }: { readonly lastsMs: number; readonly everyMs: number; readonly leaseMs: number },
): readonly Strike[] {
  const strikes: Strike[] = [];
  for (let at = everyMs * random(); at < lastsMs; at += everyMs * 2 * random())
    strikes.push({ at: Math.round(at), ...blow(random, leaseMs) });
  return strikes;
}

function blow(random: () => number, leaseMs: number): Blow {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * random());
  const link = LINKS[between(0, 299) % 3] ?? 'nats';
  // The owner of a lane is where it hurts.
  const service = link === 'nats' ? pickOne(random, TARGETS) : SERVICE_BEHIND[link];
  const aim: Aim = { replica: between(0, 299) % 3, ...(random() < 0.6 ? { ownerOf: service } : {}) };
  const roll = random();
  if (roll < 0.16) return { kind: 'kill -9', ...aim, ms: between(100, 2_000) };
  if (roll < 0.26) return { kind: 'SIGTERM', ...aim, ms: between(0, 1_000) };
  if (roll < 0.42) return { kind: 'SIGSTOP', ...aim, ms: between(0.5 * leaseMs, 2.5 * leaseMs) };
  if (roll < 0.5) return { kind: 'nats killed', ms: between(100, 3_000) };
  if (roll < 0.54) return { kind: 'nats stopped', ms: between(0, 1_500) };
  if (roll < 0.62) return { kind: 'postgres killed', ms: between(100, 2_500) };
  if (roll < 0.72) return { kind: 'cut', ...aim, link };
  if (roll < 0.78) return { kind: 'half-close', ...aim, link, towards: random() < 0.5 ? 'client' : 'server' };
  if (roll < 0.88) {
    const fault: Fault = { kind: random() < 0.7 ? 'stall' : 'black-hole' };
    return { kind: 'partition', ...aim, fault, ms: between(0.8 * leaseMs, 3 * leaseMs) };
  }
  const faults: readonly [Fault, ...Fault[]] = [
    { kind: 'delay', ms: between(20, 400) },
    { kind: 'throttle', bytesPerSecond: between(2_000, 40_000) },
    { kind: 'stall' },
    { kind: 'black-hole' },
  ];
  return { kind: 'network', ...aim, link, fault: pickOne(random, faults), ms: between(0.3 * leaseMs, 2.5 * leaseMs) };
}

function pickOne<T>(random: () => number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(random() * items.length)] ?? items[0];
}

export const isKill = ({ kind }: Strike): boolean =>
  kind === 'kill -9' || kind === 'nats killed' || kind === 'postgres killed';

export function describeStrike(strike: Strike): string {
  const { at, kind } = strike;
  const aimed = 'ownerOf' in strike ? `the owner of ${strike.ownerOf}, else ` : '';
  const who = 'replica' in strike ? ` ${aimed}replica ${strike.replica}` : '';
  const where = 'link' in strike ? `, link to ${strike.link}` : '';
  const what = 'fault' in strike ? `${kind} ${JSON.stringify(strike.fault)}` : kind;
  return `${at} ms: ${what}${who}${where}${'ms' in strike ? ` for ${strike.ms} ms` : ''}`;
}

/** Does what the strikes say, each at its time; blows to one thing follow one another. Resolves when all of it has been undone. */
export async function strike(world: World, strikes: readonly Strike[]): Promise<void> {
  const beginning = performance.now();
  const chains = new Map<string, Promise<void>>();
  const all: Promise<void>[] = [];
  for (const one of strikes) {
    await pause(one.at - (performance.now() - beginning));
    const victim = 'replica' in one ? await victimOf(world, one) : undefined;
    const thing = thingOf(one, victim);
    const turn = (chains.get(thing) ?? Promise.resolve()).then(() => hit(world, one, victim));
    chains.set(thing, turn);
    all.push(turn);
  }
  await Promise.all(all);
}

async function victimOf(world: World, { replica, ownerOf }: Aim): Promise<number> {
  if (ownerOf === undefined) return replica;
  // While NATS is away nobody can tell.
  const owner = await Promise.race([world.ownerOf(ownerOf).catch(() => undefined), pause(OWNER_MS)]);
  return owner ?? replica;
}

function thingOf(one: Strike, victim: number | undefined): string {
  if ('link' in one) return `${victim} ${one.link}`;
  if (one.kind === 'partition') return `${victim} all links`;
  if (victim !== undefined) return `replica ${victim}`;
  return one.kind === 'postgres killed' ? 'postgres' : 'nats';
}

async function hit(world: World, one: Strike, victim: number | undefined): Promise<void> {
  const replica = victim === undefined ? undefined : world.replicas[victim];
  switch (one.kind) {
    case 'kill -9':
      return replica?.process.kill9(one.ms);
    case 'SIGTERM':
      return replica?.process.term(one.ms);
    case 'SIGSTOP':
      replica?.process.stop();
      await pause(one.ms);
      replica?.process.cont();
      return;
    case 'nats killed':
      await world.nats.kill();
      await pause(one.ms);
      return world.nats.restart();
    case 'nats stopped':
      await world.nats.shutdown();
      await pause(one.ms);
      return world.nats.restart();
    case 'postgres killed':
      await world.postgres.crash();
      await pause(one.ms);
      return world.postgres.restart();
    case 'cut':
      replica?.links[one.link].cutAll();
      return;
    case 'half-close':
      replica?.links[one.link].halfClose(one.towards);
      return;
    case 'network':
      replica?.links[one.link].set(one.fault);
      await pause(one.ms);
      replica?.links[one.link].set({ kind: 'pass' });
      return;
    case 'partition': {
      const links = replica === undefined ? [] : Object.values(replica.links);
      for (const link of links) link.set(one.fault);
      await pause(one.ms);
      for (const link of links) link.set({ kind: 'pass' });
    }
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), Math.max(0, ms)));
}

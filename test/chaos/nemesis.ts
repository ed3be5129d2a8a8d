import type { Fault, FaultProxy, Side } from '../support/fault-proxy.ts';
import type { NatsServer } from '../support/nats-server.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import type { ReplicaProcess } from '../support/replica-process.ts';

export const LINKS = ['nats', 'postgres', 'mariadb'] as const;
export type LinkName = (typeof LINKS)[number];

/** A replica with the proxies between it and everything else. */
export interface ChaosReplica {
  readonly process: ReplicaProcess;
  readonly links: Readonly<Record<LinkName, FaultProxy>>;
}

export interface World {
  readonly replicas: readonly ChaosReplica[];
  readonly nats: NatsServer;
  readonly postgres: PostgresServer;
}

type Blow =
  | { readonly kind: 'kill -9' | 'SIGTERM' | 'SIGSTOP'; readonly replica: number; readonly ms: number }
  | { readonly kind: 'nats killed' | 'nats stopped' | 'postgres killed'; readonly ms: number }
  | { readonly kind: 'cut'; readonly replica: number; readonly link: LinkName }
  | { readonly kind: 'half-close'; readonly replica: number; readonly link: LinkName; readonly towards: Side }
  | {
      readonly kind: 'network';
      readonly replica: number;
      readonly link: LinkName;
      readonly fault: Fault;
      readonly ms: number;
    };

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
  const replica = between(0, 299) % 3;
  const link = LINKS[between(0, 299) % 3] ?? 'nats';
  const roll = random();
  if (roll < 0.16) return { kind: 'kill -9', replica, ms: between(100, 2_000) };
  if (roll < 0.26) return { kind: 'SIGTERM', replica, ms: between(0, 1_000) };
  if (roll < 0.42) return { kind: 'SIGSTOP', replica, ms: between(0.5 * leaseMs, 2.5 * leaseMs) };
  if (roll < 0.5) return { kind: 'nats killed', ms: between(100, 3_000) };
  if (roll < 0.54) return { kind: 'nats stopped', ms: between(0, 1_500) };
  if (roll < 0.62) return { kind: 'postgres killed', ms: between(100, 2_500) };
  if (roll < 0.72) return { kind: 'cut', replica, link };
  if (roll < 0.78) return { kind: 'half-close', replica, link, towards: random() < 0.5 ? 'client' : 'server' };
  const faults: readonly Fault[] = [
    { kind: 'delay', ms: between(20, 400) },
    { kind: 'throttle', bytesPerSecond: between(2_000, 40_000) },
    { kind: 'stall' },
    { kind: 'black-hole' },
  ];
  const fault = faults[between(0, 399) % 4] ?? { kind: 'stall' };
  return { kind: 'network', replica, link, fault, ms: between(0.3 * leaseMs, 2.5 * leaseMs) };
}

export const isKill = ({ kind }: Strike): boolean =>
  kind === 'kill -9' || kind === 'nats killed' || kind === 'postgres killed';

export function describeStrike(strike: Strike): string {
  const { at, kind } = strike;
  const who = 'replica' in strike ? ` ${strike.replica}` : '';
  const where = 'link' in strike ? `–${strike.link}` : '';
  const what = strike.kind === 'network' ? JSON.stringify(strike.fault) : kind;
  return `${at} ms: ${what}${who}${where}${'ms' in strike ? ` for ${strike.ms} ms` : ''}`;
}

/** Does what the strikes say, each at its time; blows to one thing follow one another. Resolves when all of it has been undone. */
export async function strike(world: World, strikes: readonly Strike[]): Promise<void> {
  const beginning = performance.now();
  const chains = new Map<string, Promise<void>>();
  const all: Promise<void>[] = [];
  for (const one of strikes) {
    await pause(one.at - (performance.now() - beginning));
    const thing = thingOf(one);
    const turn = (chains.get(thing) ?? Promise.resolve()).then(() => hit(world, one));
    chains.set(thing, turn);
    all.push(turn);
  }
  await Promise.all(all);
}

function thingOf(one: Strike): string {
  if ('link' in one) return `${one.replica} ${one.link}`;
  if ('replica' in one) return `replica ${one.replica}`;
  return one.kind === 'postgres killed' ? 'postgres' : 'nats';
}

async function hit(world: World, one: Strike): Promise<void> {
  const replica = 'replica' in one ? world.replicas[one.replica] : undefined;
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
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { STREAMS } from '../../src/domain/subjects.ts';
import { RAW_EVENTS } from '../../src/intake/raw-events.ts';
import { readLanes } from '../../src/service/lane-record.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { ReplicaProcess, type UnexpectedEnd } from '../support/replica-process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type ChaosSources, createTables, dropTables, readSources, roundConfig } from './chaos-sources.ts';
import { editingSession } from './editing-session.ts';
import { judgeRound, type RoundFaults } from './judge-round.ts';
import { type ChaosReplica, describeStrike, isKill, planStrikes, strike, type World } from './nemesis.ts';
import { publishSession, WEBHOOK_SECRET } from './publish-session.ts';

export interface RoundSize {
  readonly edits: number;
  /** How long edits are made and strikes fall, milliseconds. */
  readonly lastsMs: number;
  /** Mean time between two strikes, milliseconds. */
  readonly everyMs: number;
  readonly leaseMs: number;
}

/** A round of the long run, and one of the normal tests. */
export const LONG_ROUND: RoundSize = { edits: 600, lastsMs: 15_000, everyMs: 700, leaseMs: 2_000 };
export const SHORT_ROUND: RoundSize = { edits: 150, lastsMs: 5_000, everyMs: 700, leaseMs: 1_000 };

export interface RoundReport {
  readonly seed: number;
  readonly strikes: readonly string[];
  readonly kills: number;
  readonly changes: number;
  readonly faults: RoundFaults;
  readonly unexpectedEnds: readonly UnexpectedEnd[];
  /** From the end of all faults until nothing was left to do, milliseconds; undefined: never. */
  readonly drainedAfterMs: number | undefined;
  /** What each replica has written to its log. */
  readonly logs: readonly string[];
}

const REPLICAS = 3;
const UP_MS = 60_000;
const DRAIN_MS = 120_000;

/**
 * One round: three replicas behind proxies, edits and strikes at the same time, then everything is healed and drains, and the sources
 * and the streams are compared with what was edited.
 */
export async function runRound(sources: ChaosSources, seed: number, size: RoundSize): Promise<RoundReport> {
  const random = seededRandom(seed);
  const database = `chaos${seed}`;
  const folder = await mkdtemp(join(tmpdir(), 'backflow-chaos-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    closing.push(() => dropTables(sources, database));
    const tables = await createTables(sources, database);
    const configPath = join(folder, 'backflow.yaml');
    await writeFile(configPath, roundConfig(sources, database));
    const nats = await startNatsServer({ dir: join(folder, 'nats') });
    closing.push(() => nats.stop());
    const replicas: ChaosReplica[] = [];
    closing.push(() => Promise.all(replicas.map(closeReplica)));
    for (let i = 0; i < REPLICAS; i += 1)
      replicas.push(await startReplica(i, nats, sources, { folder, configPath, leaseMs: size.leaseMs }));
    await untilUp(replicas);
    const link = await connectNats({ servers: nats.url, name: 'chaos' });
    closing.push(() => link.close());

    const world: World = {
      replicas,
      nats,
      postgres: sources.postgres,
      ownerOf: (service) => ownerOf(link, service, replicas),
    };
    const strikes = planStrikes(random, size);
    const session = editingSession(random, tables, { ...size, startAt: Date.now() });
    const publisher = createPublisher(link, { maxMessages: 256, maxBytes: 8 * 1024 * 1024 });
    const publishing = publishSession(session.publications, replicas, publisher);
    await strike(world, strikes);
    await publishing;
    await untilUp(replicas);
    const drainedAfterMs = await untilDrained(link);
    const { changes, faults } = await judgeRound(link, session, await readSources(sources, database));
    return {
      seed,
      strikes: strikes.map(describeStrike),
      kills: strikes.filter(isKill).length,
      changes,
      faults,
      unexpectedEnds: replicas.flatMap(({ process }) => process.unexpected),
      drainedAfterMs,
      logs: replicas.map(({ process }) => process.log),
    };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** Whether a round shows a fault of the service. */
export function isClean({ faults, unexpectedEnds, drainedAfterMs }: RoundReport): boolean {
  const { lost, stale, duplicated, without, wrong } = faults;
  return (
    [lost, stale, duplicated, without, wrong, unexpectedEnds].every((list) => list.length === 0) &&
    drainedAfterMs !== undefined
  );
}

/** A replica's name holds the id of its process. */
async function ownerOf(
  link: NatsLink,
  service: string,
  replicas: readonly ChaosReplica[],
): Promise<number | undefined> {
  const lanes = await readLanes(link, new Set());
  const owner = lanes.find(({ target }) => target === service)?.owner;
  const found = replicas.findIndex(({ process }) => process.pid !== undefined && owner?.includes(`-${process.pid}-`));
  return found === -1 ? undefined : found;
}

interface ReplicaSettings {
  readonly folder: string;
  readonly configPath: string;
  readonly leaseMs: number;
}

async function startReplica(
  index: number,
  nats: NatsServer,
  { postgres, mariadb }: ChaosSources,
  { folder, configPath, leaseMs }: ReplicaSettings,
): Promise<ChaosReplica> {
  const links = {
    nats: await startFaultProxy(() => nats),
    postgres: await startFaultProxy(() => postgres),
    mariadb: await startFaultProxy(() => mariadb),
  };
  const process = new ReplicaProcess({
    name: `replica ${index}`,
    env: {
      NATS_URL: `nats://127.0.0.1:${links.nats.port}`,
      BACKFLOW_CONFIG: configPath,
      BACKFLOW_DATA: join(folder, `replica-${index}`),
      BACKFLOW_WEBHOOK_SECRETS: WEBHOOK_SECRET,
      BACKFLOW_TEST_LEASE_MS: String(leaseMs),
      CHAOS_POSTGRES_PORT: String(links.postgres.port),
      CHAOS_POSTGRES_PASSWORD: postgres.password,
      CHAOS_MARIADB_PORT: String(links.mariadb.port),
      CHAOS_MARIADB_PASSWORD: mariadb.password,
    },
  });
  return { process, links };
}

async function closeReplica({ process, links }: ChaosReplica): Promise<void> {
  await process.close();
  await Promise.all(Object.values(links).map((proxy) => proxy.close()));
}

async function untilUp(replicas: readonly ChaosReplica[]): Promise<void> {
  const deadline = performance.now() + UP_MS;
  for (;;) {
    const down = replicas.filter(({ process }) => process.url === undefined);
    if (down.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`${down.map(({ process }) => `${process.name} does not come up:\n${process.log}`).join('\n')}`);
    await pause(50);
  }
}

/** Waits until every consumer has nothing left, and still has nothing a moment later. */
async function untilDrained(link: NatsLink): Promise<number | undefined> {
  const beginning = performance.now();
  let quiet = 0;
  while (performance.now() - beginning < DRAIN_MS) {
    quiet = (await hasWork(link)) ? 0 : quiet + 1;
    if (quiet === 5) return Math.round(performance.now() - beginning);
    await pause(100);
  }
  return undefined;
}

async function hasWork(link: NatsLink): Promise<boolean> {
  const raw = await link.jsm.consumers.info(RAW_EVENTS.stream, RAW_EVENTS.durable);
  const lanes = await link.jsm.consumers.list(STREAMS.changes).next();
  if (lanes.length < 2) return true;
  return [raw, ...lanes].some((info) => info.num_pending + info.num_ack_pending > 0);
}

import { createPublisher } from '../../streams/nats/publisher.ts';
import type { UnexpectedEnd } from '../support/replica-process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { onChaosCluster } from './chaos-cluster.ts';
import { ownerOf, untilUp } from './chaos-replica.ts';
import { type ChaosSources, readSources } from './chaos-sources.ts';
import { untilDrained } from './drained.ts';
import { editingSession } from './editing-session.ts';
import { judgeRound, type RoundFaults } from './judge-round.ts';
import { describeStrike, isKill, planStrikes, strike, type World } from './nemesis.ts';
import { publishSession } from './publish-session.ts';

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

/**
 * One round: three replicas behind proxies, edits and strikes at the same time, then everything is healed and drains, and the sources
 * and the streams are compared with what was edited.
 */
export async function runRound(sources: ChaosSources, seed: number, size: RoundSize): Promise<RoundReport> {
  const random = seededRandom(seed);
  const database = `chaos${seed}`;
  const { leaseMs } = size;
  return onChaosCluster(
    sources,
    database,
    { replicas: REPLICAS, leaseMs },
    async ({ tables, nats, replicas, link }) => {
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
    },
  );
}

/** Whether a round shows a fault of the service. */
export function isClean({ faults, unexpectedEnds, drainedAfterMs }: RoundReport): boolean {
  const { lost, stale, duplicated, without, wrong, traces } = faults;
  return (
    [lost, stale, duplicated, without, wrong, traces, unexpectedEnds].every((list) => list.length === 0) &&
    drainedAfterMs !== undefined
  );
}

import { z } from 'zod';
import type { HeldFieldCount } from '../../actors/lane/lane-ports.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { parseLeaseRecord } from '../../streams/nats/lease-record.ts';
import { reconciledTimes } from '../../streams/nats/reconciled-store.ts';
import { lookAtConsumer } from '../../streams/nats/stream-look.ts';
import { BUCKETS, STREAMS } from '../domain/subjects.ts';
import { parseLaneName } from './lane-name.ts';
import { oldestChange } from './oldest-change.ts';
import type { RateLimit } from './rate-limit.ts';
import { type NeedsReconcile, retentionRecord } from './retention-record.ts';

const dataSchema = z.object({
  target: z.string().optional(),
  partition: z.number().optional(),
  held: z.number().optional(),
  parked: z.number().optional(),
  oldestHeldAt: z.number().nullish(),
  targetState: z.string().optional(),
  lastError: z.string().nullish(),
  applied: z.number().optional(),
  perSecond: z.number().optional(),
  heldFields: z
    .array(z.object({ channel: z.string(), why: z.enum(['guard', 'paused']), fields: z.number(), since: z.number() }))
    .optional(),
  rateLimit: z.object({ perSecond: z.number(), configured: z.number() }).optional(),
  ...retentionRecord.shape,
});

/** A lane as its record in NATS and its consumer show it, whoever owns it. */
export interface LaneSummary {
  readonly lane: string;
  readonly target: string;
  readonly partition: number;
  readonly owner: string | undefined;
  /** Changes that the lane has not settled. */
  readonly lag: number;
  readonly held: number;
  /** Of these: acknowledged, and stored away while their asset waits, so that they do not count as lag. */
  readonly parked: number;
  /** Age of the oldest change that the lane has not settled. */
  readonly oldestUnappliedMs: number | undefined;
  readonly targetState: string;
  /** Circuit breaker of the target, as the owner last told; `unknown` before its first write. */
  readonly breaker: 'closed' | 'open' | 'unknown';
  readonly lastError: string | undefined;
  readonly applied: number;
  /** Writes in each second of about the last minute. */
  readonly perSecond: number;
  /** Fields in hand that are not written until a person says so, by channel and reason. */
  readonly heldFields: readonly HeldFieldCount[];
  /** Statements per second that the lane may run now, and when nobody asks it to slow down; undefined: not told yet. */
  readonly rateLimit: RateLimit | undefined;
  readonly paused: boolean;
  /** Changes were lost, and nobody has said since that the target was compared with the catalogue (`backflow reconciled`). */
  readonly needsReconcile: NeedsReconcile | undefined;
}

/** All lanes that ever had an owner and still have a consumer, from NATS alone. */
export async function readLanes(link: NatsLink, paused: ReadonlySet<string>): Promise<readonly LaneSummary[]> {
  const lanes: LaneSummary[] = [];
  const reconciled = await reconciledTimes(link);
  for (const { key: lane, value } of await openBucket(link, BUCKETS.leases).entries('*')) {
    const record = parseLeaseRecord(value);
    const consumer = await lookAtConsumer(link, STREAMS.changes, lane).catch(() => undefined);
    if (record === undefined || consumer === undefined) continue;
    const data = dataSchema.safeParse(record.data);
    // A record has its data only after the owner's first report; until then the lane's name tells whose it is.
    const named = parseLaneName(lane) ?? { target: lane, partition: 0, partitions: 1 };
    const {
      target = named.target,
      partition = named.partition,
      held = 0,
      parked = 0,
      oldestHeldAt,
      targetState = 'unknown',
      lastError,
      applied = 0,
      perSecond = 0,
      heldFields = [],
      rateLimit,
      needsReconcile,
    } = data.success ? data.data : {};
    const lag = consumer.undelivered + consumer.unacked;
    const inHand = held > 0 ? (oldestHeldAt ?? undefined) : undefined;
    const query = { target, ownsSlot: (slot: number) => slot % named.partitions === partition };
    const since =
      inHand ?? (lag === 0 ? undefined : (await oldestChange(link, { ...query, from: consumer.ackFloor + 1 }))?.time);
    lanes.push({
      lane,
      target,
      partition,
      owner: record.released ? undefined : record.owner,
      lag,
      held,
      parked,
      oldestUnappliedMs: since === undefined ? undefined : Math.max(0, Date.now() - since),
      targetState,
      breaker: targetState === 'up' ? 'closed' : targetState === 'down' ? 'open' : 'unknown',
      lastError: lastError ?? undefined,
      applied,
      perSecond,
      heldFields,
      rateLimit,
      paused: paused.has(target),
      needsReconcile:
        needsReconcile === undefined || (reconciled.get(target) ?? 0) >= needsReconcile.at ? undefined : needsReconcile,
    });
  }
  return lanes.sort((a, b) => (a.lane < b.lane ? -1 : 1));
}

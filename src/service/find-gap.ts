import { z } from 'zod';
import type { ConsumerLook, StreamLook } from '../../streams/nats/stream-look.ts';
import type { Gap } from '../domain/gap.ts';

/** Where a lane stood when it was last looked at; kept in the lane's record. */
export const laneSight = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  delivered: z.number(),
  deliveries: z.number(),
  ackFloor: z.number(),
  undelivered: z.number(),
  unacked: z.number(),
  /** First and last sequence of CHANGES. */
  first: z.number(),
  last: z.number(),
  /** Oldest change that the owner had in hand, which it may hold although the stream has discarded it. */
  heldFrom: z.number().optional(),
  /** When the oldest message that CHANGES had then came, epoch milliseconds. */
  firstTime: z.number(),
  /** The oldest change that the lane had not settled, where it was looked for. */
  oldest: z.object({ sequence: z.number(), time: z.number() }).optional(),
});

export type LaneSight = Readonly<z.infer<typeof laneSight>>;

export interface GapQuestion {
  readonly before: LaneSight;
  readonly consumer: ConsumerLook;
  readonly stream: StreamLook;
  /** The lane has just been claimed, or its consumer made anew: nobody holds what was delivered and not acknowledged before. */
  readonly claimed: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** How many of the lane's own changes CHANGES has behind a sequence. Only asked when some may be missing. */
  readonly countBehind: (sequence: number) => Promise<number>;
}

/** Whether CHANGES has discarded anything since that may have concerned the lane; without it there is no gap. */
export function mayMiss({ before, stream, claimed }: Pick<GapQuestion, 'before' | 'stream' | 'claimed'>): boolean {
  return stream.first > firstUnsure(before, claimed) || heldGone(before, stream, claimed);
}

/** Everything of the lane below it was settled, in hand, or noticed to be missing at the last look. */
function firstUnsure(before: LaneSight, claimed: boolean): number {
  return Math.max((claimed ? before.ackFloor : before.delivered) + 1, before.first);
}

function heldGone({ heldFrom }: LaneSight, stream: StreamLook, claimed: boolean): boolean {
  return claimed && heldFrom !== undefined && heldFrom < stream.first;
}

/**
 * Whether CHANGES has discarded changes of the lane since it was last looked at. The server tells how many are still to come and how
 * many deliveries there were; what is neither is missing. A repeated delivery looks like a new one there, so in doubt too few are
 * counted, unless the oldest one that was to come is known to be missing. What nobody saw (both limits of the stream passed between
 * two looks, an owner that died with discarded changes in hand) is a gap of unknown size: better one too many than a silent loss.
 */
export async function findGap(question: GapQuestion): Promise<Gap | undefined> {
  const { before, consumer, stream, claimed } = question;
  if (!mayMiss(question)) return undefined;
  const unsure = firstUnsure(before, claimed);
  const lost = heldGone(before, stream, claimed);
  const outstanding = before.undelivered + before.unacked;
  const stretch = (changes: number | undefined): Gap => ({
    firstSequence: lost ? Math.min(unsure, before.heldFrom ?? unsure) : unsure,
    lastSequence: stream.first - 1,
    ...(changes === undefined ? {} : { changes }),
    from: outstanding === 0 ? before.at : (before.oldest?.time ?? before.firstTime),
    to: stream.firstTime === 0 ? question.now : stream.firstTime,
  });
  // Whole stretches came and went unseen.
  if (lost || stream.first > before.last + 1) return stretch(undefined);
  const { oldest } = before;
  if (oldest !== undefined && oldest.sequence >= stream.first) return undefined;
  const deliveries = consumer.deliveries - before.deliveries;
  if (claimed && (before.unacked > 0 || deliveries !== 0)) return outstanding > 0 ? stretch(undefined) : undefined;
  if (before.undelivered === 0) return undefined;
  const newer = consumer.delivered >= before.last ? 0 : await question.countBehind(before.last);
  const stillToCome = consumer.delivered >= before.last ? 0 : consumer.undelivered - newer;
  const missing = before.undelivered - Math.max(0, deliveries) - Math.max(0, stillToCome);
  if (missing > 0) return stretch(missing);
  const oldestGone = oldest !== undefined && oldest.sequence < stream.first && consumer.delivered < oldest.sequence;
  return oldestGone ? stretch(undefined) : undefined;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Lease, Publisher } from '../../streams/nats/contract.ts';
import { reconciledAt } from '../../streams/nats/reconciled-store.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import {
  type ConsumerLook,
  countFrom,
  lookAtConsumer,
  lookAtStream,
  type StreamLook,
} from '../../streams/nats/stream-look.ts';
import { describeGap, type Gap } from '../domain/gap.ts';
import type { BulkOutcomeMessage } from '../domain/outcome.ts';
import { gapSubject, STREAMS } from '../domain/subjects.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { findGap, type LaneSight, mayMiss } from './find-gap.ts';
import type { LaneVitals } from './lane-vitals.ts';
import { oldestChange } from './oldest-change.ts';
import { alarms, mayBeNear, retentionReach } from './retention-reach.ts';
import { type NeedsReconcile, type RetentionRecord, readRetention } from './retention-record.ts';

/** Looks at a stream that stands still for none of them. */
const MAX_LOOKS = 6;

export interface LaneRetentionOptions {
  readonly link: NatsLink;
  readonly publisher: Publisher;
  readonly lane: string;
  readonly target: string;
  readonly partition: number;
  /** Subjects that the lane reads. */
  readonly filters: readonly string[];
  /** Whether a slot is one of the lane's. */
  readonly ownsSlot: (slot: number) => boolean;
  readonly configRevision: () => number;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly vitals: LaneVitals;
}

/** Watches how near a lane is to what CHANGES discards, and records what it has lost there. */
export class LaneRetention {
  readonly #options: LaneRetentionOptions;
  #alarmed = false;

  constructor(options: LaneRetentionOptions) {
    this.#options = options;
  }

  /**
   * Looks once, and keeps the lane's record: `rest` is everything else in it. `claimed`: the lane was just taken over, or its consumer
   * made anew. Errors: `StreamError`.
   */
  async look(
    lease: Lease,
    claimed: boolean,
    heldFrom: number | undefined,
    rest: () => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { link, lane, filters } = this.#options;
    const before = readRetention(lease.data());
    // In this order: what is published in between counts as seen by nobody, never as missing.
    let consumer = await lookAtConsumer(link, STREAMS.changes, lane);
    let stream = await lookAtStream(link, STREAMS.changes);
    const now = Date.now();
    let found: Gap | undefined;
    if (before.sight !== undefined && mayMiss({ before: before.sight, stream, claimed })) {
      let upTo = stream.last;
      ({ consumer, stream, upTo } = await this.#lookInPeace(stream));
      const behind = (sequence: number): Promise<number> => countFrom(link, STREAMS.changes, filters, sequence + 1);
      // What came after the look at the consumer is not among what it has still to deliver.
      const countBehind = async (sequence: number): Promise<number> => (await behind(sequence)) - (await behind(upTo));
      found = await findGap({ before: before.sight, consumer, stream, claimed, now, countBehind });
    }
    const oldest = mayBeNear(stream, now) ? await this.#oldest(consumer, stream) : undefined;
    const { first, last, firstTime } = stream;
    const sight: LaneSight = {
      at: now,
      ...consumer,
      first,
      last,
      firstTime,
      ...(heldFrom === undefined ? {} : { heldFrom }),
      ...(oldest === undefined ? {} : { oldest }),
    };
    const reconcile = await this.#reconcile(before.needsReconcile, found, now);
    const gaps = [...(before.gaps ?? []), ...(found === undefined ? [] : [found])];
    const { ackFloor } = consumer;
    const record: RetentionRecord = { sight, ...(reconcile === undefined ? {} : { needsReconcile: reconcile }) };
    await lease.update({ ...rest(), ackFloor, ...record, ...(gaps.length === 0 ? {} : { gaps }) });
    if (found !== undefined) this.#tellGap(found);
    this.#options.metrics.laneLag(this.#label(), consumer.undelivered + consumer.unacked);
    this.#tell(retentionReach(consumer, stream, oldest?.time, now), reconcile);
    if (gaps.length > 0 && (await this.#recordAll(gaps))) await lease.update({ ...rest(), ackFloor, ...record });
  }

  /**
   * Where lane and stream stand at one moment, if the stream has one in which nothing comes in. Else in doubt too few are missing:
   * `upTo` is not beyond, and the end of the stream not before, what the lane had seen.
   */
  async #lookInPeace(
    stream: StreamLook,
  ): Promise<{ readonly consumer: ConsumerLook; readonly stream: StreamLook; readonly upTo: number }> {
    const { link, lane } = this.#options;
    let earlier = stream;
    for (let tries = 1; ; tries += 1) {
      const consumer = await lookAtConsumer(link, STREAMS.changes, lane);
      const later = await lookAtStream(link, STREAMS.changes);
      if (earlier.last === later.last || tries === MAX_LOOKS) return { consumer, stream: later, upTo: earlier.last };
      await sleep(5 * 2 ** tries);
      earlier = await lookAtStream(link, STREAMS.changes);
    }
  }

  /** The oldest change that the lane has not settled and that CHANGES still has. */
  async #oldest(consumer: ConsumerLook, stream: StreamLook): Promise<LaneSight['oldest']> {
    if (consumer.undelivered + consumer.unacked === 0) return undefined;
    const { link, target, ownsSlot } = this.#options;
    return oldestChange(link, { target, ownsSlot, from: Math.max(consumer.ackFloor + 1, stream.first) });
  }

  async #reconcile(
    before: NeedsReconcile | undefined,
    found: Gap | undefined,
    now: number,
  ): Promise<NeedsReconcile | undefined> {
    const done = before !== undefined && (await reconciledAt(this.#options.link, this.#options.target)) >= before.at;
    const open = done ? undefined : before;
    if (done) this.#options.log.info({ lane: this.#options.lane }, 'the target was said to be reconciled');
    if (found === undefined) return open;
    const known = found.changes !== undefined && (open === undefined || open.changes !== undefined);
    return {
      at: now,
      gaps: (open?.gaps ?? 0) + 1,
      ...(known ? { changes: (open?.changes ?? 0) + (found.changes ?? 0) } : {}),
      from: Math.min(open?.from ?? found.from, found.from),
      to: Math.max(open?.to ?? found.to, found.to),
    };
  }

  /** Whether all of them are recorded; one that is not yet is tried again at the next look. */
  async #recordAll(gaps: readonly Gap[]): Promise<boolean> {
    try {
      for (const one of gaps) await this.#record(one);
      return true;
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#options.log.warn({ lane: this.#options.lane, problem: error.message }, 'a gap could not be recorded yet');
      return false;
    }
  }

  async #record(missing: Gap): Promise<void> {
    const { publisher, target, partition, lane, configRevision } = this.#options;
    const reason = describeGap(missing);
    const message: BulkOutcomeMessage = {
      v: 1,
      id: `gap-${lane}-${missing.firstSequence}-${missing.lastSequence}`,
      target,
      at: Date.now(),
      lane,
      configRevision: configRevision(),
      items: [
        {
          sequence: missing.firstSequence,
          eventId: '',
          object: '',
          status: 'failed',
          reason,
          failure: { class: 'not_found', code: 'gap', message: reason },
        },
      ],
      settles: [],
      gap: missing,
    };
    const subject = gapSubject(target, partition, missing.firstSequence, missing.lastSequence);
    try {
      const settings = { msgId: message.id, expectedLastSubjectSequence: 0, giveUpAfterMs: 5_000 };
      await publisher.publish(subject, JSON.stringify(message), settings);
    } catch (error) {
      // It stands there already.
      if (!(error instanceof StreamError) || error.code !== 'conflict') throw error;
    }
  }

  #label(): { readonly target: string; readonly partition: number } {
    return { target: this.#options.target, partition: this.#options.partition };
  }

  #tellGap(found: Gap): void {
    const { lane, target, metrics, log } = this.#options;
    metrics.gap(target);
    const what = describeGap(found);
    log.error({ lane, target, ...found, what }, 'a gap: CHANGES has discarded what was not written back yet');
  }

  #tell(reach: number, reconcile: NeedsReconcile | undefined): void {
    const { target, lane, metrics, log, vitals } = this.#options;
    const share = Math.min(1, reach);
    metrics.retention(this.#label(), share, reconcile !== undefined);
    vitals.retention = share;
    vitals.needsReconcile = reconcile;
    const before = this.#alarmed;
    this.#alarmed = alarms(share, before);
    if (this.#alarmed && !before) {
      log.warn(
        { lane, target, percent: Math.round(share * 100) },
        'the oldest change of the lane will soon be discarded by CHANGES; let the target go on, or give the stream more age or bytes',
      );
    }
  }
}

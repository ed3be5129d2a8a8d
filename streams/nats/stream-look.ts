import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { z } from 'zod';
import { apiRequest } from './api-request.ts';
import type { NatsLink } from './connection.ts';
import { toStreamError } from './stream-error.ts';

const streamAnswer = z.object({
  config: z.object({ max_bytes: z.number().default(-1), max_age: z.number().default(0) }),
  state: z.object({
    bytes: z.number(),
    messages: z.number(),
    first_seq: z.number(),
    first_ts: z.string(),
    last_seq: z.number(),
  }),
});

/** A stream's extent and its limits. */
export interface StreamLook {
  /** Sequence of the oldest message; of an empty stream that of the next one. */
  readonly first: number;
  /** Epoch milliseconds; of an empty stream 0. */
  readonly firstTime: number;
  readonly last: number;
  readonly bytes: number;
  /** 0: no limit. */
  readonly maxBytes: number;
  /** Milliseconds; 0: no limit. */
  readonly maxAgeMs: number;
}

export async function lookAtStream(link: NatsLink, stream: string): Promise<StreamLook> {
  const doing = `look at the stream ${stream}`;
  const { config, state } = await apiRequest(link, `STREAM.INFO.${stream}`, undefined, streamAnswer, doing);
  return {
    first: state.messages === 0 ? state.last_seq + 1 : state.first_seq,
    firstTime: state.messages === 0 ? 0 : Date.parse(state.first_ts),
    last: state.last_seq,
    bytes: state.bytes,
    maxBytes: Math.max(0, config.max_bytes),
    maxAgeMs: config.max_age / 1e6,
  };
}

const place = z.object({ consumer_seq: z.number(), stream_seq: z.number() });
const consumerAnswer = z.object({
  delivered: place,
  ack_floor: place,
  num_pending: z.number(),
  num_ack_pending: z.number(),
});

/** How far a consumer is; all of it at one moment. */
export interface ConsumerLook {
  /** Sequence of the newest message that it has delivered. */
  readonly delivered: number;
  /** Deliveries so far, repeated ones included. */
  readonly deliveries: number;
  /** Every message of the consumer's up to this sequence is acknowledged, or was discarded by the stream. */
  readonly ackFloor: number;
  /** Messages that it has not delivered yet. */
  readonly undelivered: number;
  /** Messages that it has delivered, that are not acknowledged, and that the stream still has. */
  readonly unacked: number;
}

export async function lookAtConsumer(link: NatsLink, stream: string, durable: string): Promise<ConsumerLook> {
  const subject = `CONSUMER.INFO.${stream}.${durable}`;
  const answer = await apiRequest(link, subject, undefined, consumerAnswer, `look at the consumer ${durable}`);
  return {
    delivered: answer.delivered.stream_seq,
    deliveries: answer.delivered.consumer_seq,
    ackFloor: answer.ack_floor.stream_seq,
    undelivered: answer.num_pending,
    unacked: answer.num_ack_pending,
  };
}

/** How many messages with these subjects a stream has from a sequence on (inclusive). */
export async function countFrom(
  link: NatsLink,
  stream: string,
  filters: readonly string[],
  sequence: number,
): Promise<number> {
  const [only] = filters;
  try {
    // Only the server can count without reading: it does so for a new consumer, which is never read.
    const { name, num_pending } = await link.jsm.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, sequence),
      inactive_threshold: nanos(5_000),
      mem_storage: true,
      num_replicas: 1,
      ...(filters.length === 1 && only !== undefined ? { filter_subject: only } : { filter_subjects: [...filters] }),
    });
    await link.jsm.consumers.delete(stream, name).catch(() => undefined);
    return num_pending;
  } catch (error) {
    throw toStreamError(error, `count messages of ${stream}`);
  }
}

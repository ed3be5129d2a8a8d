import type { Observable } from 'rxjs';

/** Headers of a message; names are case-sensitive, ours are lower-case except NATS's own. */
export type MessageHeaders = Readonly<Record<string, string>>;

/**
 * A message handed out against one credit. Exactly one of `ack`, `nak` ends it and gives the credit back; both are functions of this
 * delivery alone, which do not hold its body.
 */
export interface Delivery {
  readonly subject: string;
  readonly sequence: number;
  /** How often this message has been delivered, this time included. */
  readonly deliveryCount: number;
  /** JetStream's time of the message, epoch milliseconds. */
  readonly streamTime: number;
  readonly headers: MessageHeaders;
  readonly data: Uint8Array;
  /** Messages of the consumer that are still waiting behind this one. */
  readonly pending: number;
  ack(): void;
  nak(delayMs?: number): void;
}

/** Room for messages in flight, counted in messages and in bytes. */
export interface CreditLimits {
  readonly messages: number;
  readonly bytes: number;
}

export interface PullSourceOptions {
  readonly stream: string;
  readonly durable: string;
  readonly limits: CreditLimits;
  /** How long one pull request may wait at the server; 4,000–5,000 ms bounds the stall after a consumer leader change. */
  readonly expiresMs?: number;
  /** The consumer's `ack_wait`; held messages are reported as worked on at a third of it. Default 30,000. */
  readonly ackWaitMs?: number;
}

/** What a pull source noticed; it goes on by itself in every case, only a missing consumer has to be made again by the owner. */
export type PullEvent =
  | { readonly type: 'consumer-missing' }
  /** No heartbeat of the server came in time (a consumer leader change, a stuck server): asked again. */
  | { readonly type: 'silent' }
  /** A message above the whole byte budget is let through alone. */
  | { readonly type: 'oversized' }
  | { readonly type: 'refused'; readonly code: number; readonly description: string };

/**
 * The pull source of a lane: a cold observable that asks for messages only while credits are free.
 * It never completes by itself and never errors for one message; unsubscribing stops pulling, deliveries in hand stay valid.
 * One subscriber at a time (`StreamError` already-subscribed). A redelivery of a message in hand takes no credit and is not
 * handed out again: it replaces the ack handle and raises `deliveryCount`. Messages in hand are kept alive by the source.
 */
export interface PullSource {
  readonly deliveries: Observable<Delivery>;
  readonly creditsInUse: () => CreditLimits;
  /** Hot. */
  readonly events: Observable<PullEvent>;
  /** Resolves when an unsubscribed source has given back what was still on its way; at once when nothing is. */
  stopped(): Promise<void>;
}

export interface PublishOptions {
  readonly msgId?: string;
  readonly headers?: MessageHeaders;
  /** Refuse unless the subject's last message has this sequence (0: there is none). */
  readonly expectedLastSubjectSequence?: number;
  /** Give up after this time without an answer; the publisher's own when absent. */
  readonly giveUpAfterMs?: number;
}

export interface PublishReceipt {
  readonly sequence: number;
  readonly duplicate: boolean;
}

/** Publishing with a window bounded in messages and bytes. `publish` waits for room, then for the PubAck. Errors: `StreamError`. */
export interface Publisher {
  publish(subject: string, data: Uint8Array | string, options?: PublishOptions): Promise<PublishReceipt>;
  /** Resolves when everything published so far is acknowledged or failed. */
  settle(): Promise<void>;
}

/** A message read by subject or sequence without a consumer. */
export interface StoredMessage {
  readonly subject: string;
  readonly sequence: number;
  readonly time: number;
  readonly headers: MessageHeaders;
  readonly data: Uint8Array;
}

/** The owner's hold on a lane. */
export interface Lease {
  readonly key: string;
  /** KV revision of the acquisition: the fencing epoch. */
  readonly epoch: number;
  /** The owner before did not give the lane back: what it has sent may still come in. */
  readonly takenOver: boolean;
  /** False once no renewal succeeded for 6 s (monotonic clock), or the lease was taken: stop dispatching. */
  readonly valid: () => boolean;
  /** Resolves when the lease is lost; never rejects. */
  readonly lost: Promise<void>;
  /** The record's data that the next owner must know. */
  readonly data: () => Readonly<Record<string, unknown>>;
  update(data: Readonly<Record<string, unknown>>): Promise<void>;
  /** Gives the lane back at once. */
  release(): Promise<void>;
}

import type { Delivery, MessageHeaders } from './contract.ts';

const ACK = Buffer.from('+ACK');

/** Everything of a received message that becomes a delivery. */
export interface ReceivedMessage {
  readonly subject: string;
  readonly ackSubject: string;
  readonly sequence: number;
  readonly deliveryCount: number;
  readonly streamTime: number;
  readonly pending: number;
  readonly headers: MessageHeaders;
  readonly data: Uint8Array;
  /** Size as the credits count it. */
  readonly bytes: number;
}

/** What is remembered of a message in hand; not its body, which only the delivery holds. */
interface Held {
  ackSubject: string;
  deliveryCount: number;
  readonly bytes: number;
}

export interface HeldOptions {
  /** Held messages are reported as worked on at a third of this. */
  readonly ackWaitMs: number;
  /** Sends to the server; must not throw. */
  readonly send: (subject: string, payload: string | Uint8Array) => void;
  /** A message is no longer in hand. */
  readonly released: (bytes: number) => void;
}

/**
 * The messages in hand, by stream sequence. A held message ends by exactly one ack or nak; until then it is kept alive here,
 * and a redelivery of it only replaces the subject to acknowledge on.
 */
export class HeldMessages {
  readonly #held = new Map<number, Held>();
  readonly #options: HeldOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  /** The lowest sequence in hand. Looks at all of them: not for the hot path. */
  oldest(): number | undefined {
    let oldest: number | undefined;
    for (const sequence of this.#held.keys()) if (oldest === undefined || sequence < oldest) oldest = sequence;
    return oldest;
  }

  /** True when the sequence is in hand: its delivery count and ack subject are then the new ones. */
  replace(sequence: number, ackSubject: string, deliveryCount: number): boolean {
    const held = this.#held.get(sequence);
    if (held === undefined) return false;
    held.ackSubject = ackSubject;
    held.deliveryCount = Math.max(held.deliveryCount, deliveryCount);
    return true;
  }

  add(message: ReceivedMessage): Delivery {
    const held: Held = {
      ackSubject: message.ackSubject,
      deliveryCount: message.deliveryCount,
      bytes: message.bytes,
    };
    this.#held.set(message.sequence, held);
    this.#timer ??= setInterval(() => this.#keepAlive(), this.#options.ackWaitMs / 3);
    const { subject, sequence, streamTime, headers, data, pending } = message;
    return {
      subject,
      sequence,
      streamTime,
      headers,
      data,
      pending,
      get deliveryCount() {
        return held.deliveryCount;
      },
      ...this.#handles(sequence, held),
    };
  }

  // Made apart from the delivery, so that a caller who keeps only these does not keep the body.
  #handles(sequence: number, held: Held): Pick<Delivery, 'ack' | 'nak'> {
    return {
      ack: () => this.#end(sequence, held, ACK),
      nak: (delayMs) => this.#end(sequence, held, nakPayload(delayMs)),
    };
  }

  #end(sequence: number, held: Held, payload: string | Uint8Array): void {
    if (this.#held.get(sequence) !== held) return;
    this.#held.delete(sequence);
    if (this.#held.size === 0) this.stopKeepingAlive();
    this.#options.send(held.ackSubject, payload);
    this.#options.released(held.bytes);
  }

  /** The connection is closed for good, or nothing is in hand. */
  stopKeepingAlive(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #keepAlive(): void {
    for (const held of this.#held.values()) this.#options.send(held.ackSubject, '+WPI');
  }
}

/** A nak is immediate, or after a delay in nanoseconds. */
export function nakPayload(delayMs?: number): string {
  return delayMs === undefined || delayMs <= 0 ? '-NAK' : `-NAK {"delay": ${Math.round(delayMs * 1_000_000)}}`;
}

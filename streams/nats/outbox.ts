import type { NatsConnection, PublishOptions } from '@nats-io/nats-core';

/** A message that waits for the end of the turn. `failed`: the client did not take it (it is closed, or the message is wrong). */
export interface OutgoingMessage {
  readonly subject: string;
  readonly data: Uint8Array | string;
  readonly options?: PublishOptions;
  readonly failed?: (error: unknown) => void;
}

/** Bytes that are sent without waiting for the end of the turn. */
const SEND_AT_BYTES = 256 * 1024;

/**
 * Sends together what comes within one turn of the event loop: the client writes to its socket at every turn of the microtask queue,
 * which for messages that each come out of a promise of their own means one system call each. Order is kept.
 */
export class Outbox {
  readonly #nc: Pick<NatsConnection, 'publish'>;
  #waiting: OutgoingMessage[] = [];
  #bytes = 0;
  #scheduled = false;

  constructor(nc: Pick<NatsConnection, 'publish'>) {
    this.#nc = nc;
  }

  send(message: OutgoingMessage): void {
    this.#waiting.push(message);
    this.#bytes += message.data.length;
    if (this.#bytes >= SEND_AT_BYTES) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
  }

  /** Hands everything over to the client. Never throws. */
  flush(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const { subject, data, options, failed } of messages) {
      try {
        this.#nc.publish(subject, data, options);
      } catch (error) {
        failed?.(error);
      }
    }
  }
}

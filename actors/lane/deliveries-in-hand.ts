import type { Delivery, MessageHeaders } from '../../streams/nats/contract.ts';

/**
 * Every delivery that a lane took from its source and has not ended. The source keeps what it handed out alive for as long as the
 * process lives, so whoever ends the stages has to give all of it back, wherever in them it was.
 * States of a delivery: open → acked or given back; what comes after that does nothing.
 */
export class DeliveriesInHand {
  /** What gives each of them back; kept alone, since it does not hold the body. */
  readonly #open = new Set<Delivery['nak']>();
  #closed = false;

  get size(): number {
    return this.#open.size;
  }

  /** The delivery as the stages see it: it ends at most once, and never after `giveBack`. */
  track(delivery: Delivery): Delivery {
    const { subject, sequence, deliveryCount, streamTime, headers, data, pending } = delivery;
    if (this.#closed) delivery.nak();
    else this.#open.add(delivery.nak);
    const { ack, nak } = this.#handles(delivery.ack, delivery.nak);
    return { subject, sequence, deliveryCount, streamTime, headers, data, pending, ack, nak };
  }

  // Made apart from the delivery, so that whoever keeps only these does not keep the body.
  #handles(ack: Delivery['ack'], nak: Delivery['nak']): Pick<Delivery, 'ack' | 'nak'> {
    return {
      ack: () => {
        if (this.#end(nak)) ack();
      },
      nak: (delayMs) => {
        if (this.#end(nak)) nak(delayMs);
      },
    };
  }

  #end(giveBack: Delivery['nak']): boolean {
    return !this.#closed && this.#open.delete(giveBack);
  }

  /** From now on nothing is acknowledged any more. */
  close(): void {
    this.#closed = true;
  }

  /** Gives everything back to the stream and tells how much that was. Closes as well. */
  giveBack(): number {
    this.close();
    const open = [...this.#open];
    this.#open.clear();
    for (const giveBack of open) giveBack();
    return open.length;
  }
}

const NO_BODY = new Uint8Array();
const NO_HEADERS: MessageHeaders = {};

/** The delivery without its body, which is no longer needed once it is parsed. */
export function withoutBody(delivery: Delivery): Delivery {
  const { subject, sequence, deliveryCount, streamTime, pending, ack, nak } = delivery;
  return { subject, sequence, deliveryCount, streamTime, pending, headers: NO_HEADERS, data: NO_BODY, ack, nak };
}

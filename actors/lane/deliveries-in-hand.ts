import type { Delivery } from '../../streams/nats/contract.ts';

/**
 * Every delivery that a lane took from its source and has not ended. The source keeps what it handed out alive for as long as the
 * process lives, so whoever ends the stages has to give all of it back, wherever in them it was.
 * States of a delivery: open → acked or given back; what comes after that does nothing.
 */
export class DeliveriesInHand {
  readonly #open = new Set<() => void>();
  #closed = false;

  get size(): number {
    return this.#open.size;
  }

  /** The delivery as the stages see it: it ends at most once, and never after `giveBack`. */
  track(delivery: Delivery): Delivery {
    // Only these are kept: they do not hold the body.
    const { ack, nak, working } = delivery;
    const giveBack = (): void => nak();
    const end = (how: () => void): void => {
      if (!this.#closed && this.#open.delete(giveBack)) how();
    };
    if (this.#closed) nak();
    else this.#open.add(giveBack);
    const { subject, sequence, deliveryCount, streamTime, headers, data, pending } = delivery;
    return {
      subject,
      sequence,
      deliveryCount,
      streamTime,
      headers,
      data,
      pending,
      ...handles(ack, nak, working, end),
    };
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

// Made apart from the delivery, so that whoever keeps only these does not keep the body.
function handles(
  ack: Delivery['ack'],
  nak: Delivery['nak'],
  working: Delivery['working'],
  end: (how: () => void) => void,
): Pick<Delivery, 'ack' | 'nak' | 'working'> {
  return { ack: () => end(ack), nak: (delayMs) => end(() => nak(delayMs)), working };
}

const NO_BODY = new Uint8Array();

/** The delivery without its body, which is no longer needed once it is parsed. */
export function withoutBody(delivery: Delivery): Delivery {
  const { subject, sequence, deliveryCount, streamTime, pending, ack, nak, working } = delivery;
  return { subject, sequence, deliveryCount, streamTime, pending, headers: {}, data: NO_BODY, ack, nak, working };
}

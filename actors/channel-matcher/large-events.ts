import { CHANGE_HEADERS } from '../../src/domain/change-headers.ts';
import { type LargeEvent, parseLargeEvent } from '../../src/domain/large-event.ts';
import type { StoredObject } from '../../src/domain/stored-object.ts';
import type { Delivery } from '../../streams/nats/contract.ts';

export interface LargeEventsOptions {
  /** The whole of a stored event; undefined when it is no longer there. Tries again by itself. */
  readonly fetch: (object: StoredObject) => Promise<Uint8Array | undefined>;
  /** Bytes of fetched events that may be in hand at once; a larger one goes alone. */
  readonly maxBytes: number;
  /** The delivery with the event as its body, or without it when there is none any more. */
  readonly fetched: (delivery: Delivery, found: boolean) => void;
}

/** How long a delivery is given back for when its event cannot be asked for, milliseconds. */
const GIVEN_BACK_MS = 10_000;

interface Waiting {
  readonly delivery: Delivery;
  readonly event: LargeEvent;
}

/**
 * Fetches the events that were too large for one message, beside the work of the matcher: the changes behind them go on. What is
 * fetched counts until its delivery is ended, since a delivery's credit counts only the reference.
 * States of a delivery here: waiting → fetching → handed on; its end, whenever it comes, frees the bytes.
 */
export class LargeEvents {
  readonly #options: LargeEventsOptions;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;

  constructor(options: LargeEventsOptions) {
    this.#options = options;
  }

  get bytesInHand(): number {
    return this.#bytes;
  }

  take(delivery: Delivery): void {
    const event = parseLargeEvent(delivery.data);
    if (event === undefined) {
      this.#options.fetched(withBody(delivery, delivery.data), false);
      return;
    }
    this.#waiting.push({ delivery, event });
    this.#next();
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const { bytes } = first.event.object;
      if (this.#bytes > 0 && this.#bytes + bytes > this.#options.maxBytes) return;
      this.#waiting.shift();
      this.#bytes += bytes;
      void this.#fetch(this.#freeing(first.delivery, bytes), first.event.object);
    }
  }

  async #fetch(delivery: Delivery, object: StoredObject): Promise<void> {
    try {
      const body = await this.#options.fetch(object);
      this.#options.fetched(withBody(delivery, body ?? delivery.data), body !== undefined);
    } catch {
      // The lane is lost, or the stream is gone: whoever reads it next sees to it.
      delivery.nak(GIVEN_BACK_MS);
    }
  }

  #freeing(delivery: Delivery, bytes: number): Delivery {
    let freed = false;
    const free = (): void => {
      if (freed) return;
      freed = true;
      this.#bytes -= bytes;
      this.#next();
    };
    return {
      ...delivery,
      ack: () => {
        delivery.ack();
        free();
      },
      nak: (delayMs) => {
        delivery.nak(delayMs);
        free();
      },
    };
  }
}

/** The delivery as if it had come with this body. */
function withBody(delivery: Delivery, data: Uint8Array): Delivery {
  const { [CHANGE_HEADERS.large]: _, ...headers } = delivery.headers;
  return { ...delivery, headers, data };
}

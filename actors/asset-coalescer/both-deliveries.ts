import type { Delivery } from '../../streams/nats/contract.ts';

/** Two handles of one message: one end ends both. */
export function bothDeliveries(one: Delivery, other: Delivery): Delivery {
  return {
    ...other,
    ack: () => {
      one.ack();
      other.ack();
    },
    nak: (delayMs) => {
      one.nak(delayMs);
      other.nak(delayMs);
    },
  };
}

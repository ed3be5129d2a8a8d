import { ignoreElements, type Observable, tap } from 'rxjs';
import type { Delivery } from '../../streams/nats/contract.ts';

/**
 * Hands over deliveries in natural batches: everything that came while the batch before was taken, at most `maxBatch`.
 * Nothing is buffered beyond what the source's credits allow, since a delivery keeps its credit until it is acknowledged.
 * `take` must not reject. Errors of the source come through.
 */
export function pullInto(
  deliveries: Observable<Delivery>,
  take: (batch: readonly Delivery[]) => Promise<void>,
  maxBatch: number,
): Observable<never> {
  const waiting: Delivery[] = [];
  let taking = false;
  const handOver = async (): Promise<void> => {
    if (taking) return;
    taking = true;
    // The last look at the list and the end of taking are one step: nothing can come between and be left behind.
    while (waiting.length > 0) await take(waiting.splice(0, maxBatch));
    taking = false;
  };
  return deliveries.pipe(
    tap((delivery) => {
      waiting.push(delivery);
      void handOver();
    }),
    ignoreElements(),
  );
}

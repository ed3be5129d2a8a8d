import { concatMap, defer, EMPTY, finalize, from, ignoreElements, merge, type Observable, Subject, tap } from 'rxjs';
import type { Delivery } from '../../streams/nats/contract.ts';

/**
 * Hands over deliveries in natural batches: everything that came while the batch before was taken, at most `maxBatch`.
 * Nothing is buffered beyond what the source's credits allow, since a delivery keeps its credit until it is acknowledged.
 */
export function pullInto(
  deliveries: Observable<Delivery>,
  take: (batch: readonly Delivery[]) => Promise<void>,
  maxBatch: number,
): Observable<never> {
  return defer(() => {
    const waiting: Delivery[] = [];
    const ready = new Subject<void>();
    let taking = false;
    const handOver = async (): Promise<void> => {
      while (waiting.length > 0) await take(waiting.splice(0, maxBatch));
    };
    const intake = deliveries.pipe(
      tap((delivery) => {
        waiting.push(delivery);
        if (!taking) ready.next();
      }),
      ignoreElements(),
      finalize(() => ready.complete()),
    );
    const outlet = ready.pipe(
      concatMap(() => {
        if (taking || waiting.length === 0) return EMPTY;
        taking = true;
        return from(handOver()).pipe(
          finalize(() => {
            taking = false;
          }),
        );
      }),
      ignoreElements(),
    );
    // The outlet listens before the first delivery can come.
    return merge(outlet, intake);
  });
}

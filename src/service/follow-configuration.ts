import { concatMap, defer, type Observable, retry, timer } from 'rxjs';
import type { ConfigPointer } from '../../streams/nats/config-store.ts';

export interface FollowOptions {
  /** Puts a revision into force in this replica. Rejects when that could not be done now, mostly since NATS is away. */
  readonly takeUp: (revision: number) => Promise<void>;
  readonly onTrouble: (revision: number, error: unknown) => void;
  /** Wait before the same is tried again, milliseconds. */
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;

/**
 * Takes up every revision that the pointer names, one after the other. The pointer tells each only once, so one that could not be taken
 * up is tried again until it can: a replica that gave up would stay without lanes, or on an old configuration.
 */
export function followConfiguration(pointers: Observable<ConfigPointer>, options: FollowOptions): Observable<void> {
  const { takeUp, onTrouble, retryMs = RETRY_MS } = options;
  return pointers.pipe(
    concatMap(({ revision }) =>
      defer(() => takeUp(revision)).pipe(
        retry({
          delay: (error) => {
            onTrouble(revision, error);
            return timer(retryMs);
          },
        }),
      ),
    ),
  );
}

import { Observable } from 'rxjs';
import type { NatsLink } from './connection.ts';
import { followBucket } from './follow-bucket.ts';

export interface WatchOptions<T> {
  readonly bucket: string;
  /** Keys to watch, wildcards allowed. */
  readonly filter: string;
  /** Reads the present state, from the leader. */
  readonly read: () => Promise<T>;
  readonly same: (a: T, b: T) => boolean;
  /** Read again after this time even when the server told nothing; 15 s unless told otherwise. */
  readonly rereadMs?: number | undefined;
}

const REREAD_MS = 15_000;
const RETRY_MS = 500;

/**
 * The state of a bucket and every change of it. The server's watch only says when to look; it may fall silent (a leader
 * change, a restart), therefore the state is also read again on a timer and after a reconnect. Never errors.
 */
export function watchBucket<T>(link: NatsLink, options: WatchOptions<T>): Observable<T> {
  const rereadMs = options.rereadMs ?? REREAD_MS;
  return new Observable((subscriber) => {
    let current: { readonly value: T } | undefined;
    let reading = false;
    let again = false;
    /** Only the newest reading counts. */
    let readings = 0;
    let timer: NodeJS.Timeout | undefined;

    const look = async (): Promise<void> => {
      if (reading) {
        again = true;
        return;
      }
      reading = true;
      again = false;
      readings += 1;
      const mine = readings;
      clearTimeout(timer);
      let wait = rereadMs;
      try {
        const value = await options.read();
        if (subscriber.closed || mine !== readings) return;
        if (current === undefined || !options.same(current.value, value)) {
          current = { value };
          subscriber.next(value);
        }
      } catch {
        wait = Math.min(RETRY_MS, rereadMs);
      }
      if (subscriber.closed || mine !== readings) return;
      reading = false;
      if (again) {
        void look();
        return;
      }
      timer = setTimeout(() => void look(), wait);
    };

    const reconnects = link.events.subscribe({
      next: (event) => {
        if (event.type !== 'reconnected') return;
        // A reading under way has lost its answer with the connection, and would only notice by its timeout.
        reading = false;
        void look();
      },
      complete: () => subscriber.complete(),
    });
    void look();
    const follower = followBucket(link, options.bucket, options.filter, () => void look());
    return () => {
      clearTimeout(timer);
      reconnects.unsubscribe();
      follower.close();
    };
  });
}

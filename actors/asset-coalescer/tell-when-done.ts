import type { ActorContext } from '../kernel/behavior.ts';
import type { CoalescerMessage } from './coalescer-messages.ts';

/**
 * Tells the coalescer what came of work that goes on beside its turns, with the message that `done` or `failed` makes of it. Where it
 * has ended meanwhile nobody wants to know.
 */
export function tellWhenDone<T>(
  { self }: Pick<ActorContext<CoalescerMessage>, 'self'>,
  work: Promise<T>,
  done: (value: T) => CoalescerMessage,
  failed: (error: unknown) => CoalescerMessage,
): void {
  void work
    .then(done, failed)
    .then((message) => self.offer(message))
    .catch(() => undefined);
}

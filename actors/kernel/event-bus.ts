import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { type Observable, Subject } from 'rxjs';
import { Deque } from './deque.ts';
import type { SystemEvent } from './system-event.ts';

/**
 * The stream of system events. Listeners run in the root context; an event that a listener causes is sent after the
 * present one, so that all listeners see the same order.
 */
export class EventBus {
  readonly #subject = new Subject<SystemEvent>();
  readonly #queue = new Deque<SystemEvent>();
  #sending = false;
  readonly events: Observable<SystemEvent> = this.#subject.asObservable();

  emit(event: SystemEvent): void {
    if (!this.#subject.observed) return;
    this.#queue.push(event);
    if (this.#sending) return;
    this.#sending = true;
    try {
      context.with(ROOT_CONTEXT, this.#sendAll);
    } finally {
      this.#sending = false;
    }
  }

  readonly #sendAll = (): void => {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) this.#subject.next(event);
  };
}

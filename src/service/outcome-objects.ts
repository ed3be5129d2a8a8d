import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { type ObjectToPut, putObject, removeObjectsBefore } from '../../streams/nats/object-store.ts';
import { isLargeState, reducedState } from '../domain/large-state.ts';
import { encodeWholeValues, hasLongValues, valueLimit, withCutValues } from '../domain/long-values.ts';
import type { OutcomeItem, OutcomeMessage } from '../domain/outcome.ts';
import type { StoredObject } from '../domain/stored-object.ts';
import { objectSubject, STREAMS } from '../domain/subjects.ts';
import type { SyncState } from '../domain/sync-state.ts';

/** Whether something of the outcome does not stand in its message; cheap, since nearly none does. */
export function needsObjects({ items, state }: OutcomeMessage): boolean {
  const limit = valueLimit(items);
  return items.some((item) => hasLongValues(item, limit)) || isLargeState(state);
}

/** A state as a message carries it. */
export type StateInMessage = Pick<OutcomeMessage, 'state' | 'stateObject'>;

/**
 * What of outcomes is too large for their messages, in the stream OBJECTS. It is stored before the outcome that refers to it, so
 * what an outcome names is there. Left behind by an owner that died between the two, it goes like everything that is replaced:
 * values when their subject holds more than outcomes are kept of an asset, a state when the next one of the asset is recorded.
 */
export class OutcomeObjects {
  readonly #link: NatsLink;
  readonly #publisher: Publisher;

  constructor(link: NatsLink, publisher: Publisher) {
    this.#link = link;
    this.#publisher = publisher;
  }

  /** The outcome as its message carries it. Repeated for the same outcome, it stores nothing twice. Errors: `StreamError`. */
  async outcome(message: OutcomeMessage): Promise<OutcomeMessage> {
    const { id, target, asset } = message;
    const stored = await this.state(message, message.state, id);
    const limit = valueLimit(message.items);
    const isLong = (item: OutcomeItem): boolean => hasLongValues(item, limit);
    if (!message.items.some(isLong)) return { ...message, ...stored };
    const subject = objectSubject('values', target, asset.key);
    const values = await this.#put(subject, encodeWholeValues(message.items, limit), `${id}.values`);
    const items = message.items.map((item) => (isLong(item) ? withCutValues(item, limit) : item));
    return { ...message, ...stored, items, values };
  }

  /** A state of the outcome's asset; `id` names it among all states. */
  async state({ target, asset }: OutcomeMessage, state: SyncState, id: string): Promise<StateInMessage> {
    if (!isLargeState(state)) return { state };
    const subject = objectSubject('state', target, asset.key);
    const stateObject = await this.#put(subject, Buffer.from(JSON.stringify(state)), `${id}.state`);
    return { state: reducedState(state), stateObject };
  }

  /** The outcome is recorded: the states before it are needed by nobody. Best effort; the next one removes what stays. */
  async removeReplaced({ target, asset, stateObject }: OutcomeMessage): Promise<void> {
    const first = stateObject?.sequences[0];
    if (first === undefined) return;
    const subject = objectSubject('state', target, asset.key);
    await removeObjectsBefore(this.#link, STREAMS.objects, subject, first).catch(() => undefined);
  }

  #put(subject: string, data: ObjectToPut['data'], id: string): Promise<StoredObject> {
    return putObject(this.#publisher, { subject, data, id, maxPayload: this.#link.maxPayload() });
  }
}

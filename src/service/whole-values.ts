import type { NatsLink } from '../../streams/nats/connection.ts';
import { getObject } from '../../streams/nats/object-store.ts';
import { parseWholeValues, type WholeValues, withWholeValues } from '../domain/long-values.ts';
import type { OutcomeMessage } from '../domain/outcome.ts';
import type { StoredObject } from '../domain/stored-object.ts';
import { STREAMS } from '../domain/subjects.ts';

/** Puts whole values in place of the cut ones. It remembers those that it used last: the parts of an outcome share theirs. */
export class WholeValuesReader {
  readonly #link: NatsLink;
  #last: { readonly sha256: string; readonly values: WholeValues | undefined } | undefined;

  constructor(link: NatsLink) {
    this.#link = link;
  }

  /** The outcome with its values whole; they stay cut where the whole ones are no longer stored. Errors: `StreamError`. */
  async read(outcome: OutcomeMessage): Promise<OutcomeMessage> {
    if (outcome.values === undefined) return outcome;
    const values = await this.#valuesOf(outcome.values);
    if (values === undefined) return outcome;
    return { ...outcome, items: outcome.items.map((item) => withWholeValues(item, values)) };
  }

  async #valuesOf(object: StoredObject): Promise<WholeValues | undefined> {
    const { sha256 } = object;
    if (this.#last?.sha256 === sha256) return this.#last.values;
    const data = await getObject(this.#link, STREAMS.objects, object);
    const values = data === undefined ? undefined : parseWholeValues(data);
    this.#last = { sha256, values };
    return values;
  }
}

import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import type { LaneStore, RecordAnswer } from '../../../actors/lane/lane-ports.ts';
import type { BulkOutcomeMessage, OutcomeItem, OutcomeMessage, SupersededItem } from '../../../src/domain/outcome.ts';
import type { StoredMessage } from '../../../streams/nats/contract.ts';
import type { ModelStream } from './model-stream.ts';

type Item = OutcomeItem | SupersededItem;

export function keyName(item: Item): string {
  return [item.sequence, item.channel ?? '', item.aspect ?? '', item.object].join(' ');
}

/** How a replica reaches the store. */
export interface ReplicaSide {
  /** Nothing comes back any more. */
  readonly dead: () => boolean;
  /** Share of requests that fail. */
  readonly trouble: () => number;
  /** Share of outcomes that take up to 15 s. */
  readonly slow: number;
}

/** OUTCOMES and DEADLETTERS, with a record of everything that is wrong about what is stored there. */
export class ModelStore {
  /** Recorded keys. */
  readonly items = new Map<string, Item>();
  readonly settled = new Set<number>();
  readonly letters = new Set<string>();
  readonly wrongs: string[] = [];
  readonly #last = new Map<string, { readonly sequence: number; readonly message: OutcomeMessage }>();
  readonly #bulk: { readonly at: number; readonly message: BulkOutcomeMessage }[] = [];
  readonly #kit: TestKit;
  readonly #stream: () => ModelStream;
  #sequence = 0;

  constructor(kit: TestKit, stream: () => ModelStream) {
    this.#kit = kit;
    this.#stream = stream;
  }

  /** The store as one replica reaches it. */
  port(replica: ReplicaSide): LaneStore {
    const kit = this.#kit;
    const way = async (): Promise<void> => {
      await kit.sleep(1 + Math.floor(kit.random() * 15));
      if (replica.dead()) await new Promise(() => undefined);
    };
    const trouble = (): void => {
      if (kit.random() < replica.trouble()) throw new Error('the store is in trouble');
    };
    return {
      lastOutcomes: async (subjects) => {
        await way();
        trouble();
        const found = new Map<string, StoredMessage>();
        for (const subject of subjects) {
          const last = this.#last.get(subject);
          if (last === undefined) continue;
          const data = Buffer.from(JSON.stringify(last.message));
          found.set(subject, { subject, sequence: last.sequence, time: last.message.at, headers: {}, data });
        }
        await way();
        return found;
      },
      recordOutcome: async (subject, message, expected) => {
        await way();
        trouble();
        // It may still be on its way when the sender is gone and the next owner at work.
        if (kit.random() < replica.slow) await kit.sleep(Math.floor(kit.random() * 15_000));
        const answer = this.#record(subject, message, expected);
        await way();
        trouble();
        return answer;
      },
      recordBulk: async (message) => {
        await way();
        this.#bulk.push({ at: kit.clock.now(), message });
        this.#note(message.items, message.settles);
        await way();
        return 'recorded';
      },
      settledInBulk: async (sequences) => {
        await way();
        const all = new Set(this.#bulk.flatMap(({ message }) => message.settles));
        return new Set(sequences.filter((sequence) => all.has(sequence)));
      },
      recordDeadLetter: async (letter) => {
        await way();
        this.letters.add(
          keyName({
            sequence: letter.sequence ?? 0,
            eventId: '',
            object: letter.object ?? '',
            by: '',
            ...(letter.channel === undefined ? {} : { channel: letter.channel }),
            ...(letter.aspect === undefined ? {} : { aspect: letter.aspect }),
          }),
        );
      },
      changeBody: async (sequence) => {
        await way();
        trouble();
        const entry = this.#stream().entries[sequence - 1];
        return entry === undefined ? undefined : Buffer.from(entry.data).toString('utf8');
      },
      // Everything fits into one message here.
      fetchObject: async () => undefined,
    };
  }

  #record(subject: string, message: OutcomeMessage, expected: number): RecordAnswer {
    const last = this.#last.get(subject);
    if (last?.message.id === message.id) return { kind: 'recorded', sequence: last.sequence };
    if (last !== undefined && last.message.epoch > message.epoch) return { kind: 'lost' };
    if ((last?.sequence ?? 0) !== expected) return { kind: 'outdated' };
    this.#sequence += 1;
    this.#last.set(subject, { sequence: this.#sequence, message });
    this.#note([...message.items, ...message.superseded], message.settles);
    return { kind: 'recorded', sequence: this.#sequence };
  }

  #note(items: readonly Item[], settles: readonly number[]): void {
    for (const item of items) {
      const key = keyName(item);
      const before = this.items.get(key);
      if (before !== undefined) this.wrongs.push(`two outcomes for ${key}: ${said(before)}, then ${said(item)}`);
      this.items.set(key, item);
      if ('status' in item && item.status === 'failed' && !this.letters.has(key))
        this.wrongs.push(`${key} is recorded as failed before its dead letter`);
    }
    for (const sequence of settles) {
      if (this.settled.has(sequence)) this.wrongs.push(`${sequence} is settled twice`);
      this.settled.add(sequence);
    }
  }
}

export function said(item: Item): string {
  return 'status' in item ? `${item.status} (${item.reason ?? ''})` : `superseded by ${item.by}`;
}

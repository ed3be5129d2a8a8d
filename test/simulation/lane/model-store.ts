import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import type { LaneStore, RecordAnswer } from '../../../actors/lane/lane-ports.ts';
import type { SuspectNotes, SuspectStore } from '../../../actors/lane/suspects.ts';
import type { BulkOutcomeMessage, OutcomeItem, OutcomeMessage, SupersededItem } from '../../../src/domain/outcome.ts';
import type { StoredMessage } from '../../../streams/nats/contract.ts';
import { ModelParking } from './model-parking.ts';
import type { ModelStream } from './model-stream.ts';
import type { ReplicaSite } from './replica-site.ts';

type Item = OutcomeItem | SupersededItem;

export function keyName(item: Item): string {
  return [item.sequence, item.channel ?? '', item.aspect ?? '', item.object].join(' ');
}

interface Stored {
  readonly sequence: number;
  readonly message: OutcomeMessage;
  readonly data: Uint8Array;
}

/** How a lane of a replica reaches the store. */
export interface ReplicaSide {
  readonly site: ReplicaSite;
  /** Whether the lane is still the replica's own: what keeps failing is given up otherwise. */
  readonly valid: () => boolean;
  /** Share of requests that fail. */
  readonly trouble: () => number;
  /** Share of outcomes that take up to 15 s. */
  readonly slow: number;
}

/** OUTCOMES and DEADLETTERS, with a record of everything that is wrong about what is stored there. */
export class ModelStore {
  /** Recorded keys. */
  readonly items = new Map<string, Item>();
  /** In which message, counted from 1, each key was recorded. */
  readonly recordedIn = new Map<Item, number>();
  readonly settled = new Set<number>();
  readonly letters = new Set<string>();
  readonly wrongs: string[] = [];
  readonly #last = new Map<string, Stored>();
  readonly #bulk: BulkOutcomeMessage[] = [];
  readonly #kit: TestKit;
  readonly parking: ModelParking;
  #suspects: SuspectNotes = { deaths: {} };
  readonly #stream: () => ModelStream;
  #sequence = 0;
  #notes = 0;

  constructor(kit: TestKit, stream: () => ModelStream) {
    this.#kit = kit;
    this.#stream = stream;
    this.parking = new ModelParking(stream);
  }

  /** The store as one replica reaches it. */
  port({ site, valid, trouble: share, slow }: ReplicaSide): LaneStore {
    const kit = this.#kit;
    const way = async (): Promise<void> => {
      await kit.sleep(1 + Math.floor(kit.random() * 15));
      await site.running();
    };
    const trouble = (): void => {
      if (kit.random() < share()) throw new Error('the store is in trouble');
    };
    /**
     * A request and its reply. What cannot be sent waits for the connection; a reply that was lost makes the sender ask again, unless
     * the lane is no longer its own.
     */
    const call = async <T>(serve: () => T | Promise<T>): Promise<T> => {
      await site.running();
      await kit.sleep(1 + Math.floor(kit.random() * 15));
      if (site.isCut) {
        await site.online();
        if (!valid()) throw new Error('not sent, and the lane is lost');
      }
      trouble();
      const answer = await serve();
      await way();
      if (site.isCut) {
        await site.online();
        if (!valid()) throw new Error('no answer, and the lane is lost');
        return serve();
      }
      trouble();
      return answer;
    };
    return {
      lastOutcomes: (subjects) =>
        call(() => {
          const found = new Map<string, StoredMessage>();
          for (const subject of subjects) {
            const last = this.#last.get(subject);
            if (last === undefined) continue;
            const { sequence, message, data } = last;
            found.set(subject, { subject, sequence, time: message.at, headers: {}, data });
          }
          return found;
        }),
      recordOutcome: (subject, message, expected) =>
        call(async () => {
          // It may still be on its way when the sender is gone and the next owner at work.
          if (kit.random() < slow) await kit.sleep(Math.floor(kit.random() * 15_000));
          return this.#record(subject, message, expected);
        }),
      recordBulk: async (message) => {
        await site.running();
        if (!valid()) return 'lost';
        return call(() => {
          if (this.#bulk.some((known) => known.id === message.id)) return 'recorded';
          this.#bulk.push(message);
          this.#note(message.items, message.settles);
          return 'recorded';
        });
      },
      settledInBulk: (sequences) =>
        call(() => {
          const all = new Set(this.#bulk.flatMap((message) => message.settles));
          return new Set(sequences.filter((sequence) => all.has(sequence)));
        }),
      recordDeadLetter: (letter) =>
        call(() => {
          const { sequence = 0, object = '', channel, aspect } = letter;
          this.letters.add(
            keyName({
              sequence,
              eventId: '',
              object,
              by: '',
              ...(channel === undefined ? {} : { channel }),
              ...(aspect === undefined ? {} : { aspect }),
            }),
          );
        }),
      parking: this.parking.port(call),
      changeBody: (sequence) =>
        call(() => {
          const entry = this.#stream().entries[sequence - 1];
          return entry === undefined ? undefined : Buffer.from(entry.data).toString('utf8');
        }),
      // Everything fits into one message here.
      fetchObject: async () => undefined,
    };
  }

  /** Acknowledged and not settled: the last outcome of its asset names the change, and a copy of it lies parked. */
  isParked(sequence: number): boolean {
    return [...this.#last.values()].some(({ message }) => message.state.parked?.[sequence] !== undefined);
  }

  /** Changes that are parked now. */
  parked(): readonly number[] {
    return [...this.#last.values()].flatMap(({ message }) => Object.keys(message.state.parked ?? {}).map(Number));
  }

  /** The notes on suspected changes as one replica reaches them. */
  suspects({ site, valid }: ReplicaSide): SuspectStore {
    const way = async (): Promise<void> => {
      await site.running();
      await this.#kit.sleep(1 + Math.floor(this.#kit.random() * 15));
      if (site.isCut) await site.online();
    };
    return {
      read: async () => {
        await way();
        return this.#suspects;
      },
      write: async (notes) => {
        await way();
        if (!valid()) throw new Error('the lane is lost');
        this.#suspects = notes;
        await way();
      },
    };
  }

  #record(subject: string, message: OutcomeMessage, expected: number): RecordAnswer {
    const last = this.#last.get(subject);
    if (last?.message.id === message.id) return { kind: 'recorded', sequence: last.sequence };
    if (last !== undefined && last.message.epoch > message.epoch) return { kind: 'lost' };
    if ((last?.sequence ?? 0) !== expected) return { kind: 'outdated' };
    this.#sequence += 1;
    const data = Buffer.from(JSON.stringify(message));
    this.#last.set(subject, { sequence: this.#sequence, message, data });
    this.#note([...message.items, ...message.superseded], message.settles);
    return { kind: 'recorded', sequence: this.#sequence };
  }

  #note(items: readonly Item[], settles: readonly number[]): void {
    this.#notes += 1;
    for (const item of items) {
      const key = keyName(item);
      const before = this.items.get(key);
      if (before !== undefined) this.wrongs.push(`two outcomes for ${key}: ${said(before)}, then ${said(item)}`);
      this.items.set(key, item);
      this.recordedIn.set(item, this.#notes);
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

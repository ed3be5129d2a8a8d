import type { ParkedChange, ParkingStore } from '../../../actors/lane/parking-store.ts';
import type { ModelStream } from './model-stream.ts';

/** One request of a replica and its reply, with everything that can happen to them. */
export type Call = <T>(serve: () => T | Promise<T>) => Promise<T>;

/** PARKED: copies of changes, one for each sequence. */
export class ModelParking {
  readonly #copies = new Map<string, Map<number, ParkedChange>>();
  readonly #stream: () => ModelStream;

  constructor(stream: () => ModelStream) {
    this.#stream = stream;
  }

  has(sequence: number): boolean {
    return [...this.#copies.values()].some((copies) => copies.has(sequence));
  }

  port(call: Call): ParkingStore {
    return {
      // Each message is a request of its own, so some may be stored and others not.
      park: async (key, sequences) => {
        const stored = sequences.map((sequence) => call(() => this.#copy(key, sequence)));
        return (await Promise.allSettled(stored)).every(({ status }) => status === 'fulfilled');
      },
      parkedChanges: async (key, sequences) => {
        const found = sequences.map((sequence) =>
          call(() => this.#copies.get(key)?.get(sequence) ?? this.#original(sequence)),
        );
        return new Map((await Promise.all(found)).map((change) => [change.sequence, change]));
      },
      unpark: async (key, sequences) => {
        const removed = sequences.map((sequence) => call(() => this.#copies.get(key)?.delete(sequence)));
        await Promise.all(removed);
      },
      listParked: () =>
        call(() => {
          const listed = [...this.#copies].map(([key, copies]) => [key, [...copies.keys()]] as const);
          return new Map(listed.filter(([, sequences]) => sequences.length > 0));
        }),
    };
  }

  #copy(key: string, sequence: number): void {
    const copies = this.#copies.get(key) ?? new Map<number, ParkedChange>();
    this.#copies.set(key, copies.set(sequence, this.#original(sequence)));
  }

  #original(sequence: number): ParkedChange {
    const entry = this.#stream().entries[sequence - 1];
    if (entry === undefined) throw new Error(`${sequence} was never published`);
    const { streamTime, headers, data } = entry;
    return { sequence, streamTime, headers, data };
  }
}

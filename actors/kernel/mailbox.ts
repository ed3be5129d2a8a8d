import type { Room } from './actor-ref.ts';
import { Deque } from './deque.ts';
import type { Envelope } from './envelope.ts';
import { KernelUsageError } from './kernel-error.ts';

/**
 * A newer message takes the place of the newest waiting one with the same key (undefined: of none) and moves to the end.
 * Without `merge` the older one is reported as undelivered; with it, both become one message.
 */
export interface Coalesce<M> {
  readonly coalesce: (msg: M) => string | undefined;
  readonly merge?: (older: M, newer: M) => M;
}

/**
 * What happens when there is no room:
 * - `wait` (default): `offer` waits, `tell` is refused;
 * - `refuse`: both are refused at once;
 * - `drop-oldest`: the oldest waiting message is reported as undelivered and makes room;
 * - `Coalesce`: see there; where nothing has the same key, as `wait`.
 */
export type Overflow<M> = 'wait' | 'refuse' | 'drop-oldest' | Coalesce<M>;

export interface MailboxOptions<M> {
  /** Most waiting messages; the one being handled does not count. Default 1,000. */
  readonly capacity?: number;
  /** Weight of a message, in bytes for instance; needs `maxSize`. */
  readonly size?: (msg: M) => number;
  /** Most weight that may wait. One message above it is taken when nothing else waits. */
  readonly maxSize?: number;
  readonly overflow?: Overflow<M>;
  /** Most offers that wait for room. Default 1,000. */
  readonly maxWaiting?: number;
}

/** Why a mailbox let a waiting message go. */
export type Displaced = 'dropped' | 'coalesced';

interface Item<M> {
  readonly envelope: Envelope<M>;
  readonly size: number;
}

interface WaitingOffer<M> extends Item<M> {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const TAKEN = Promise.resolve();

/**
 * A bounded queue. Invariants: at most `capacity` messages wait; their sizes sum to at most `maxSize` unless a single
 * one waits; nothing overtakes a waiting offer.
 */
export class Mailbox<M> {
  readonly #capacity: number;
  readonly #maxSize: number;
  readonly #maxWaiting: number;
  readonly #sizeOf: ((msg: M) => number) | undefined;
  readonly #overflow: Overflow<M>;
  readonly #displaced: (envelope: Envelope<M>, why: Displaced) => void;
  readonly #queue = new Deque<Item<M>>();
  readonly #waiting = new Deque<WaitingOffer<M>>();
  #size = 0;

  constructor(options: MailboxOptions<M>, displaced: (envelope: Envelope<M>, why: Displaced) => void) {
    this.#capacity = limit('capacity', options.capacity, 1000);
    this.#maxWaiting = limit('maxWaiting', options.maxWaiting, 1000);
    if ((options.size === undefined) !== (options.maxSize === undefined)) {
      throw new KernelUsageError('A mailbox needs both size and maxSize, or neither.');
    }
    this.#maxSize = limit('maxSize', options.maxSize, Number.POSITIVE_INFINITY);
    this.#sizeOf = options.size;
    this.#overflow = options.overflow ?? 'wait';
    this.#displaced = displaced;
  }

  /** Waiting messages and offers. */
  get length(): number {
    return this.#queue.length + this.#waiting.length;
  }

  room(): Room {
    const blocked = this.#waiting.length > 0;
    return {
      messages: blocked ? 0 : this.#capacity - this.#queue.length,
      size: blocked ? 0 : Math.max(0, this.#maxSize - this.#size),
    };
  }

  /** False: there is no room, and nothing has changed. */
  push(envelope: Envelope<M>): boolean {
    return this.#tryPush({ envelope, size: this.#measure(envelope) });
  }

  /** The promise of room; undefined: not even room to wait, or the policy is to refuse. */
  pushWhenRoom(envelope: Envelope<M>): Promise<void> | undefined {
    const item = { envelope, size: this.#measure(envelope) };
    if (this.#tryPush(item)) return TAKEN;
    if (this.#overflow === 'refuse' || this.#waiting.length >= this.#maxWaiting) return undefined;
    return new Promise((resolve, reject) => this.#waiting.push({ ...item, resolve, reject }));
  }

  /** The oldest message; the room that it leaves goes to waiting offers at once. */
  take(): Envelope<M> | undefined {
    const item = this.#queue.shift();
    if (item === undefined) return undefined;
    this.#size -= item.size;
    for (let next = this.#waiting.peek(); next !== undefined && this.#fits(next.size); next = this.#waiting.peek()) {
      this.#waiting.shift();
      this.#add(next);
      next.resolve();
    }
    return item.envelope;
  }

  /** Empties everything. `lost` hears of each message, oldest first, and gives the error that its waiting offer rejects with. */
  drain(lost: (envelope: Envelope<M>) => Error): void {
    this.#size = 0;
    const items: (Item<M> | WaitingOffer<M>)[] = [...this.#queue.drain(), ...this.#waiting.drain()];
    for (const item of items) {
      const error = lost(item.envelope);
      if ('reject' in item) item.reject(error);
    }
  }

  #measure(envelope: Envelope<M>): number {
    if (this.#sizeOf === undefined) return 0;
    const size = this.#sizeOf(envelope.msg);
    if (!(size >= 0)) throw new KernelUsageError(`The size of a message must be a number from 0, not ${size}.`);
    return size;
  }

  #fits(size: number): boolean {
    if (this.#queue.length === 0) return true;
    return this.#queue.length < this.#capacity && this.#size + size <= this.#maxSize;
  }

  #tryPush(item: Item<M>): boolean {
    if (this.#waiting.length === 0 && this.#fits(item.size)) {
      this.#add(item);
      return true;
    }
    if (this.#overflow === 'drop-oldest') return this.#dropOldest(item);
    if (typeof this.#overflow === 'object') return this.#coalesce(item, this.#overflow);
    return false;
  }

  #add(item: Item<M>): void {
    this.#queue.push(item);
    this.#size += item.size;
  }

  #dropOldest(item: Item<M>): boolean {
    while (!this.#fits(item.size)) {
      const oldest = this.take();
      if (oldest !== undefined) this.#displaced(oldest, 'dropped');
    }
    this.#add(item);
    return true;
  }

  #coalesce(item: Item<M>, policy: Coalesce<M>): boolean {
    if (this.#waiting.length > 0) return false;
    const key = policy.coalesce(item.envelope.msg);
    if (key === undefined) return false;
    const older = this.#queue.findLast((waiting) => policy.coalesce(waiting.envelope.msg) === key);
    if (older === undefined) return false;
    const next = policy.merge === undefined ? item : this.#merged(older, item, policy.merge);
    if (this.#queue.length > 1 && this.#size - older.size + next.size > this.#maxSize) return false;
    this.#queue.remove(older);
    this.#size -= older.size;
    this.#add(next);
    if (policy.merge === undefined) this.#displaced(older.envelope, 'coalesced');
    return true;
  }

  #merged(older: Item<M>, newer: Item<M>, merge: (older: M, newer: M) => M): Item<M> {
    const envelope = { ...newer.envelope, msg: merge(older.envelope.msg, newer.envelope.msg) };
    return { envelope, size: this.#measure(envelope) };
  }
}

function limit(name: string, value: number | undefined, fallback: number): number {
  const limited = value ?? fallback;
  if (!(limited >= 1)) throw new KernelUsageError(`A mailbox's ${name} must be at least 1, not ${limited}.`);
  return limited;
}

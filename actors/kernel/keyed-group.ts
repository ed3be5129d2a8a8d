import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ActorRef, AskOptions, MessageMeta, Recipient, Room } from './actor-ref.ts';
import { ask } from './ask.ts';
import type { KeyedActors, KeyedOptions } from './behavior.ts';
import { Cell } from './cell.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { type Identity, type Kernel, type Owner, reportUndelivered, type Stoppable } from './kernel.ts';
import { KernelUsageError } from './kernel-error.ts';
import { Residents } from './residents.ts';
import type { UndeliveredReason } from './system-event.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface KeyedSetup<S, M> extends Identity {
  readonly kernel: Kernel;
  readonly owner: Owner;
  readonly options: KeyedOptions<S, M>;
}

/**
 * The keyed actors of one type. Invariants: at most `maxResident` hold a place at a time; an actor without a place
 * exists only while it waits for the one that an idle actor is giving up; offers to keys that found no place wait in
 * the order in which their keys came, and nothing of the same key overtakes them.
 */
export class KeyedGroup<S, M> implements KeyedActors<M>, Stoppable {
  readonly name: string;
  readonly type: string;
  readonly #kernel: Kernel;
  readonly #owner: Owner;
  readonly #options: KeyedOptions<S, M>;
  readonly #cells = new Map<string, Cell<S, M>>();
  readonly #residents: Residents<Cell<S, M>>;
  readonly #waiting: WaitingRoom<M>;
  #closed = false;
  #stopping: Promise<void> | undefined;

  constructor(setup: KeyedSetup<S, M>) {
    this.name = setup.name;
    this.type = setup.type;
    this.#kernel = setup.kernel;
    this.#owner = setup.owner;
    this.#options = setup.options;
    const { maxResident, idleMs, maxWaiting = 1000 } = setup.options;
    if (!(maxResident >= 1) || !(idleMs >= 0)) {
      throw new KernelUsageError(`Keyed actors ${setup.name} need maxResident of at least 1 and idleMs from 0.`);
    }
    this.#residents = new Residents(setup.kernel, maxResident, idleMs);
    this.#waiting = new WaitingRoom(maxWaiting);
  }

  get residents(): number {
    return this.#cells.size;
  }

  refFor(key: string): ActorRef<M> {
    const [name, group] = [this.#nameOf(key), this];
    return {
      name,
      tell: (msg: M, meta?: MessageMeta) => this.#post(key, envelopeOf(msg, meta)),
      offer: (msg: M, meta?: MessageMeta) => this.#offer(key, msg, meta),
      ask<R>(make: (replyTo: Recipient<R>) => M, options: AskOptions): Promise<R> {
        const post = (envelope: Envelope<M>) => group.#post(key, envelope);
        return ask(group.#kernel, { name, type: group.type }, post, make, options);
      },
      stop: () => this.#cells.get(key)?.stop() ?? Promise.resolve(),
      room: () => this.#roomFor(key),
    };
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  abandon(): readonly string[] {
    this.#close();
    const names = [...this.#cells.values()].flatMap((cell) => cell.abandon());
    this.#owner.ended(this);
    return names;
  }

  #nameOf(key: string): string {
    return `${this.name}/${key}`;
  }

  #roomFor(key: string): Room {
    const cell = this.#cells.get(key);
    if (cell !== undefined) return cell.room();
    const { capacity = 1000, maxSize = Number.POSITIVE_INFINITY } = this.#options.mailbox ?? {};
    const open = !this.#closed && this.#waiting.size === 0 && this.#residents.hasPlace();
    return open ? { messages: capacity, size: maxSize } : { messages: 0, size: 0 };
  }

  #post(key: string, envelope: Envelope<M>): boolean {
    const cell = this.#cellFor(key);
    if (cell === undefined) {
      this.#report(key, envelope, this.#closed ? 'stopped' : 'no-room');
      return false;
    }
    return cell.post(envelope);
  }

  #offer(key: string, msg: M, meta: MessageMeta | undefined): Promise<void> {
    const cell = this.#cellFor(key);
    if (cell !== undefined) return cell.offer(msg, meta);
    const envelope = envelopeOf(msg, meta);
    if (this.#closed) return Promise.reject(this.#report(key, envelope, 'stopped'));
    return this.#waiting.add(key, envelope) ?? Promise.reject(this.#report(key, envelope, 'no-room'));
  }

  /** The key's actor; a new one where there is a place and nobody has waited longer for it. */
  #cellFor(key: string): Cell<S, M> | undefined {
    if (this.#closed) return undefined;
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    return this.#waiting.size === 0 ? this.#admit(key) : undefined;
  }

  #admit(key: string): Cell<S, M> | undefined {
    if (!this.#residents.reserve()) return undefined;
    const cell: Cell<S, M> = new Cell({
      kernel: this.#kernel,
      owner: {
        ended: () => this.#forget(key, cell),
        escalated: (child, error) => this.#owner.escalated(child, error),
      },
      name: this.#nameOf(key),
      type: this.type,
      behavior: context.with(ROOT_CONTEXT, () => this.#options.behavior(key)),
      options: this.#options,
      group: {
        self: this.refFor(key),
        rested: () => {
          this.#residents.rested(cell);
          this.#admitWaiting();
        },
        dormant: () => this.#dormant(key, cell),
      },
    });
    this.#cells.set(key, cell);
    this.#residents.enter(cell);
    return cell;
  }

  /** An incarnation has ended. What came for it meanwhile waits in its mailbox, for the next incarnation. */
  #dormant(key: string, cell: Cell<S, M>): void {
    if (!cell.hasMail) {
      this.#forget(key, cell);
      return;
    }
    this.#residents.leave(cell);
    this.#residents.enter(cell);
    this.#admitWaiting();
  }

  #forget(key: string, cell: Cell<S, M>): void {
    this.#cells.delete(key);
    this.#residents.leave(cell);
    this.#residents.settle();
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    if (this.#closed) return;
    for (let key = this.#waiting.nextKey; key !== undefined; key = this.#waiting.nextKey) {
      const cell = this.#cells.get(key) ?? this.#admit(key);
      if (cell === undefined) return;
      for (const { envelope, resolve, reject } of this.#waiting.take(key)) {
        cell.postWhenRoom(envelope).then(resolve, reject);
      }
    }
  }

  #close(): void {
    this.#closed = true;
    this.#residents.close();
    for (const { key, envelope, reject } of this.#waiting.takeAll()) reject(this.#report(key, envelope, 'stopped'));
  }

  async #stopAll(): Promise<void> {
    this.#close();
    await Promise.all([...this.#cells.values()].map((cell) => cell.close()));
    this.#owner.ended(this);
  }

  #report(key: string, envelope: Envelope<M>, reason: UndeliveredReason): Error {
    const actor = { name: this.#nameOf(key), type: this.type };
    return reportUndelivered(this.#kernel, actor, envelope, reason, { describe: this.#options.describe });
  }
}

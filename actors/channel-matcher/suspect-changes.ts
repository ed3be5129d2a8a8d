import type { Delivery } from '../../streams/nats/contract.ts';
import type { CoalescerMessage } from '../asset-coalescer/coalescer-messages.ts';
import type { SoloAnswer } from '../asset-coalescer/solo-state.ts';
import type { ActorRef, Recipient } from '../kernel/actor-ref.ts';
import type { HeldChange } from '../lane/held-change.ts';
import {
  afterTakeOver,
  isGivenUp,
  isSuspect,
  type SuspectNotes,
  type SuspectStore,
  without,
} from '../lane/suspects.ts';

/** What becomes of a suspected delivery. */
export type Suspicion = 'none' | 'alone' | 'given-up';

type Coalescer = Pick<ActorRef<CoalescerMessage>, 'offer'>;

/**
 * Changes that are delivered again and again, since their owners die: each is handled while nothing else of the lane is under way, and
 * noted meanwhile, so that the next owner knows which change it was.
 */
export class Suspects {
  readonly #store: SuspectStore;
  readonly #coalescer: Coalescer;
  readonly #after: number;
  readonly #ending: AbortSignal;
  #notes: SuspectNotes;

  private constructor(
    store: SuspectStore,
    coalescer: Coalescer,
    after: number,
    notes: SuspectNotes,
    ending: AbortSignal,
  ) {
    this.#ending = ending;
    this.#store = store;
    this.#coalescer = coalescer;
    this.#after = after;
    this.#notes = notes;
  }

  /** `after`: deliveries from which on a change is suspected. `ending`: nothing is waited for any longer. */
  static async begin(store: SuspectStore, coalescer: Coalescer, after: number, ending: AbortSignal): Promise<Suspects> {
    const found = await store.read();
    const notes = afterTakeOver(found);
    // The death counts once, whatever becomes of this owner.
    if (found.running !== undefined) await store.write(notes);
    return new Suspects(store, coalescer, after, notes, ending);
  }

  judge({ sequence, deliveryCount }: Delivery): Suspicion {
    if (!isSuspect(this.#notes, sequence, deliveryCount, this.#after)) return 'none';
    return isGivenUp(this.#notes, sequence) ? 'given-up' : 'alone';
  }

  /** The change has got its outcome: nothing is to be remembered of it. */
  async forget(sequence: number): Promise<void> {
    this.#notes = without(this.#notes, sequence);
    await this.#store.write(this.#notes);
  }

  /** Brings the lane to rest and notes the change. False: the lane ends. */
  async enter(sequence: number): Promise<boolean> {
    if ((await this.#answer((replyTo) => ({ type: 'quiesce', replyTo }))) === 'stopped') return false;
    this.#notes = { ...this.#notes, running: sequence };
    await this.#store.write(this.#notes);
    return true;
  }

  /** Has the change handled; resolves when it is decided, or waits. False: the lane ended before. */
  async handle(change: HeldChange): Promise<boolean> {
    return (await this.#answer((replyTo) => ({ type: 'alone', change, replyTo }))) === 'ended';
  }

  /** The owner lives: the lane goes on. `survived`: the change was handled, so nothing is held against it any more. */
  async leave(sequence: number, survived: boolean): Promise<void> {
    const { deaths } = this.#notes;
    this.#notes = survived ? without(this.#notes, sequence) : { deaths };
    // A lane that is lost may not write any more: to the next owner it looks as if this one had died.
    await this.#store.write(this.#notes).catch(() => undefined);
    await this.#coalescer.offer({ type: 'resume' });
  }

  async #answer(message: (replyTo: Recipient<SoloAnswer>) => CoalescerMessage): Promise<SoloAnswer> {
    const { promise, resolve } = Promise.withResolvers<SoloAnswer>();
    const tell = (answer: SoloAnswer): boolean => {
      resolve(answer);
      return true;
    };
    const stop = (): void => resolve('stopped');
    this.#ending.addEventListener('abort', stop, { once: true });
    await this.#coalescer.offer(message({ name: 'channel-matcher', tell }));
    return promise.finally(() => this.#ending.removeEventListener('abort', stop));
  }
}

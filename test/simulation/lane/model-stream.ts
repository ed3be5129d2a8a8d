import { Observable, Subject, type Subscriber } from 'rxjs';
import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import type { CreditLimits, Delivery, PullEvent, PullSource } from '../../../streams/nats/contract.ts';
import { createCredits } from '../../../streams/operators/credits.ts';

interface Entry {
  readonly sequence: number;
  readonly data: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly streamTime: number;
  deliveries: number;
  acked: boolean;
  /** Who keeps it alive. */
  holder: ModelSource | undefined;
  notBefore: number;
}

const ACK_WAIT_MS = 30_000;

/** CHANGES with the one durable consumer of a lane: everything not acknowledged is delivered again. */
export class ModelStream {
  readonly entries: Entry[] = [];
  readonly kit: TestKit;
  /** Told at the moment in which an ack is sent. */
  readonly onAck: (sequence: number) => void;

  constructor(kit: TestKit, onAck: (sequence: number) => void) {
    this.kit = kit;
    this.onAck = onAck;
  }

  publish(body: string, headers: Readonly<Record<string, string>>): number {
    const sequence = this.entries.length + 1;
    this.entries.push({
      sequence,
      data: Buffer.from(body),
      headers,
      streamTime: this.kit.clock.now(),
      deliveries: 0,
      acked: false,
      holder: undefined,
      notBefore: 0,
    });
    return sequence;
  }

  ackFloor(): number {
    const open = this.entries.find((entry) => !entry.acked);
    return open === undefined ? this.entries.length : open.sequence - 1;
  }

  allAcked(): boolean {
    return this.entries.every((entry) => entry.acked);
  }
}

/** A pull source as its contract says: hands out against credits, keeps alive what it handed out until that is ended. */
export class ModelSource implements PullSource {
  readonly events = new Subject<PullEvent>();
  readonly deliveries: Observable<Delivery>;
  readonly #stream: ModelStream;
  readonly #credits;
  /** Share of acks that the server never sees. */
  readonly #lostAcks: number;
  #subscriber: Subscriber<Delivery> | undefined;
  #dead = false;

  constructor(stream: ModelStream, limits: CreditLimits, lostAcks: number) {
    this.#stream = stream;
    this.#lostAcks = lostAcks;
    this.#credits = createCredits(limits);
    this.deliveries = new Observable((subscriber) => {
      if (this.#subscriber !== undefined) throw new Error('subscribed twice');
      this.#subscriber = subscriber;
      this.#next();
      return () => {
        this.#subscriber = undefined;
      };
    });
  }

  creditsInUse(): CreditLimits {
    return this.#credits.inUse();
  }

  stopped(): Promise<void> {
    return this.#stream.kit.sleep(this.#stream.kit.random() * 100);
  }

  /** The process is gone: nothing that it holds is kept alive any longer, nothing that it still sends arrives. */
  kill(): void {
    this.#dead = true;
    this.#subscriber = undefined;
    const { kit, entries } = this.#stream;
    for (const entry of entries) {
      if (entry.holder !== this) continue;
      entry.holder = undefined;
      entry.notBefore = kit.clock.now() + ACK_WAIT_MS;
    }
  }

  #next(busy = true): void {
    const { kit } = this.#stream;
    kit.scheduler.setTimer(1 + Math.floor(kit.random() * (busy ? 20 : 200)), () => {
      if (this.#subscriber === undefined || this.#dead) return;
      let delivered = false;
      for (let i = Math.floor(kit.random() * 4); i >= 0; i -= 1)
        delivered = this.#deliverOne(this.#subscriber) || delivered;
      this.#next(delivered);
    });
  }

  #deliverOne(subscriber: Subscriber<Delivery>): boolean {
    const { kit, entries } = this.#stream;
    const now = kit.clock.now();
    const open = entries.filter((entry) => !entry.acked && entry.holder === undefined && entry.notBefore <= now);
    const entry = open[Math.floor(kit.random() * Math.min(3, open.length))];
    if (entry === undefined || !this.#credits.admits(entry.data.length)) return false;
    this.#credits.take(entry.data.length);
    entry.holder = this;
    entry.deliveries += 1;
    const end = (how: () => void) => {
      if (this.#dead || entry.holder !== this) return;
      entry.holder = undefined;
      how();
      this.#credits.give(entry.data.length);
    };
    subscriber.next({
      subject: 'change.model',
      sequence: entry.sequence,
      deliveryCount: entry.deliveries,
      streamTime: entry.streamTime,
      headers: entry.headers,
      data: entry.data,
      pending: open.length - 1,
      ack: () =>
        end(() => {
          this.#stream.onAck(entry.sequence);
          if (kit.random() < this.#lostAcks) entry.notBefore = kit.clock.now() + ACK_WAIT_MS;
          else entry.acked = true;
        }),
      nak: (delayMs) =>
        end(() => {
          entry.notBefore = kit.clock.now() + (delayMs ?? 0);
        }),
      working: () => undefined,
    });
    return true;
  }
}

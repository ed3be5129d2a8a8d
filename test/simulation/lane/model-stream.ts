import { Observable, Subject, type Subscriber } from 'rxjs';
import { z } from 'zod';
import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import { changeSubject } from '../../../src/domain/subjects.ts';
import type { CreditLimits, Delivery, PullEvent, PullSource } from '../../../streams/nats/contract.ts';
import { createCredits } from '../../../streams/operators/credits.ts';
import { TARGET } from './catalogue-content.ts';
import type { ReplicaSite } from './replica-site.ts';

interface Entry {
  readonly sequence: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly streamTime: number;
  deliveries: number;
  acked: boolean;
  /** Who was given it last and has not ended it. */
  holder: ModelSource | undefined;
  /** Not delivered (again) before this time. */
  notBefore: number;
}

const ACK_WAIT_MS = 30_000;

/** CHANGES with the one durable consumer of a lane: everything not acknowledged is delivered again. */
export class ModelStream {
  readonly entries: Entry[] = [];
  readonly kit: TestKit;
  /** Told at the moment in which the server takes an ack. */
  readonly onAck: (sequence: number) => void;
  #floor = 0;

  constructor(kit: TestKit, onAck: (sequence: number) => void) {
    this.kit = kit;
    this.onAck = onAck;
  }

  publish(body: string, headers: Readonly<Record<string, string>>): number {
    const sequence = this.entries.length + 1;
    this.entries.push({
      sequence,
      subject: subjectOf(body),
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

  /** Everything up to it is acknowledged. */
  ackFloor(): number {
    while (this.entries[this.#floor]?.acked === true) this.#floor += 1;
    return this.#floor;
  }

  allAcked(): boolean {
    return this.ackFloor() === this.entries.length;
  }
}

/**
 * A pull source as its contract says: hands out against credits, keeps alive what it handed out until that is ended. While its
 * replica is frozen or cut off it keeps nothing alive, and what it has is delivered to others in time.
 */
export class ModelSource implements PullSource {
  readonly events = new Subject<PullEvent>();
  readonly deliveries: Observable<Delivery>;
  readonly #stream: ModelStream;
  readonly #site: ReplicaSite;
  readonly #credits;
  /** Share of acks that the server never sees. */
  readonly #lostAcks: number;
  #subscriber: Subscriber<Delivery> | undefined;

  constructor(stream: ModelStream, site: ReplicaSite, limits: CreditLimits, lostAcks: number) {
    this.#stream = stream;
    this.#site = site;
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
    site.onContact(
      () => this.#expireHeld(),
      () => this.#keepAlive(),
    );
  }

  creditsInUse(): CreditLimits {
    return this.#credits.inUse();
  }

  async stopped(): Promise<void> {
    await this.#stream.kit.sleep(this.#stream.kit.random() * 100);
    await this.#site.running();
  }

  /** Nothing tells the server any longer that what is in hand is worked on. */
  #expireHeld(): void {
    const { kit } = this.#stream;
    const now = kit.clock.now();
    // At a third of the time it had been told last.
    for (const entry of this.#held()) entry.notBefore = now + ACK_WAIT_MS * (1 - kit.random() / 3);
  }

  #keepAlive(): void {
    for (const entry of this.#held()) entry.notBefore = Number.POSITIVE_INFINITY;
  }

  #held(): readonly Entry[] {
    return this.#stream.entries.filter((entry) => entry.holder === this && !entry.acked);
  }

  #next(busy = true): void {
    const { kit } = this.#stream;
    kit.scheduler.setTimer(1 + Math.floor(kit.random() * (busy ? 20 : 200)), () => {
      if (this.#subscriber === undefined || this.#site.dead) return;
      let delivered = false;
      if (!this.#site.isBlocked) {
        for (let i = Math.floor(kit.random() * 4); i >= 0; i -= 1)
          delivered = this.#deliverOne(this.#subscriber) || delivered;
      }
      this.#next(delivered);
    });
  }

  #deliverOne(subscriber: Subscriber<Delivery>): boolean {
    const { kit } = this.#stream;
    const open = this.#open();
    const entry = open[Math.floor(kit.random() * open.length)];
    if (entry === undefined || !this.#credits.admits(entry.data.length)) return false;
    entry.deliveries += 1;
    this.#credits.take(entry.data.length);
    entry.holder = this;
    entry.notBefore = Number.POSITIVE_INFINITY;
    subscriber.next({
      subject: entry.subject,
      sequence: entry.sequence,
      deliveryCount: entry.deliveries,
      streamTime: entry.streamTime,
      headers: entry.headers,
      data: entry.data,
      pending: this.#stream.entries.length - entry.sequence,
      ...this.#handles(entry),
    });
    return true;
  }

  /** The next few that may be delivered. */
  #open(): readonly Entry[] {
    const { entries, kit } = this.#stream;
    const now = kit.clock.now();
    const open: Entry[] = [];
    for (let at = this.#stream.ackFloor(); at < entries.length && open.length < 3; at += 1) {
      const entry = entries[at];
      if (entry !== undefined && !entry.acked && entry.notBefore <= now && entry.holder !== this) open.push(entry);
    }
    return open;
  }

  #handles(entry: Entry): Pick<Delivery, 'ack' | 'nak'> {
    const { kit } = this.#stream;
    let ended = false;
    const end = (reached: () => void): void => {
      if (ended || this.#site.dead) return;
      ended = true;
      this.#credits.give(entry.data.length);
      const mine = entry.holder === this;
      if (mine) entry.holder = undefined;
      if (!this.#site.isCut) reached();
      // What was sent into a broken connection never comes.
      else if (mine) entry.notBefore = kit.clock.now() + ACK_WAIT_MS;
    };
    return {
      ack: () =>
        end(() => {
          // An ack counts for its message, whoever has it meanwhile.
          this.#stream.onAck(entry.sequence);
          if (kit.random() >= this.#lostAcks) entry.acked = true;
          else if (entry.holder === undefined) entry.notBefore = kit.clock.now() + ACK_WAIT_MS;
        }),
      nak: (delayMs) =>
        end(() => {
          if (entry.holder === undefined) entry.notBefore = kit.clock.now() + (delayMs ?? 0);
        }),
    };
  }
}

const subjectSchema = z.object({ entityType: z.enum(['table', 'database']), entityFullyQualifiedName: z.string() });

/** As intake would address it. */
function subjectOf(body: string): string {
  const parsed = subjectSchema.safeParse(JSON.parse(body));
  if (!parsed.success) return 'change.model';
  return changeSubject(TARGET, { entityType: parsed.data.entityType, fqn: parsed.data.entityFullyQualifiedName });
}

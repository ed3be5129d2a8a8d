import { type Msg, type MsgHdrs, nuid } from '@nats-io/nats-core';
import { createCredits } from '../operators/credits.ts';
import type { NatsLink } from './connection.ts';
import type { Publisher, PublishOptions, PublishReceipt } from './contract.ts';
import { headerBytes, writeHeaders } from './message-headers.ts';
import { readPubAck } from './pub-ack.ts';
import { StreamError, toStreamError } from './stream-error.ts';

export interface PublisherOptions {
  /** Messages that may wait for their PubAck at once. */
  readonly maxMessages: number;
  /** Bytes that may wait for their PubAck at once; a larger message goes alone. */
  readonly maxBytes: number;
  /** How long one try waits for its PubAck before the message is sent again. Default 5,000. */
  readonly timeoutMs?: number;
  /** How long a message is tried in all. Default 60,000; Infinity never gives up. */
  readonly giveUpAfterMs?: number;
}

const TIMEOUT_MS = 5_000;
const GIVE_UP_MS = 60_000;
const TICK_MS = 50;

/** A message from the call of `publish` to its receipt. States: queued → sent (again and again) → settled. */
interface Entry {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs;
  readonly bytes: number;
  readonly giveUpAt: number;
  readonly resolve: (receipt: PublishReceipt) => void;
  readonly reject: (error: StreamError) => void;
  /** When to send (again), unless an answer comes first. */
  dueAt: number;
  refusals: number;
  /** What the last try met; absent: no answer came. */
  lastTrouble?: StreamError;
}

/**
 * Publishes with a window. All answers come to one inbox, told apart by a token; a message without an answer is sent again
 * with the same id, so that it is stored once. Order is kept as long as no message has to be sent again: where order
 * matters, wait, or expect the last sequence.
 */
export function createPublisher(link: NatsLink, options: PublisherOptions): Publisher {
  return new PublishWindow(link, options);
}

class PublishWindow implements Publisher {
  readonly #link: NatsLink;
  readonly #timeoutMs: number;
  readonly #giveUpAfterMs: number;
  readonly #credits;
  readonly #inbox: string;
  /** In the order of arrival; a set, because taking the first from a long array copies all of it. */
  readonly #queue = new Set<Entry>();
  readonly #sent = new Map<string, Entry>();
  readonly #unsettled = new Set<Promise<PublishReceipt>>();
  #tokens = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: NatsLink, options: PublisherOptions) {
    this.#link = link;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_MS;
    this.#credits = createCredits({ messages: options.maxMessages, bytes: options.maxBytes });
    this.#inbox = link.inbox();
    try {
      link.nc.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#onAnswer(error, message) });
    } catch (error) {
      throw toStreamError(error, 'open a publisher');
    }
    link.events.subscribe({
      // What was on its way is lost or unanswered: all of it goes out again, in order.
      next: (event) => event.type === 'reconnected' && this.#sendAllAgain(),
      complete: () => this.#failAll(new StreamError('closed', 'The connection to NATS was closed before the answer')),
    });
  }

  publish(subject: string, data: Uint8Array | string, options: PublishOptions = {}): Promise<PublishReceipt> {
    const receipt = new Promise<PublishReceipt>((resolve, reject) => {
      const payload = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
      const record = publishHeaders(options);
      const bytes = headerBytes(record) + payload.length;
      const limit = this.#link.maxPayload();
      if (bytes > limit) {
        reject(
          new StreamError('too-large', `A message of ${bytes} bytes to ${subject}; NATS allows ${limit} (max_payload)`),
        );
        return;
      }
      const now = performance.now();
      this.#queue.add({
        subject,
        data: payload,
        headers: writeHeaders(record),
        bytes,
        giveUpAt: now + (options.giveUpAfterMs ?? this.#giveUpAfterMs),
        resolve,
        reject,
        dueAt: now,
        refusals: 0,
      });
    });
    this.#unsettled.add(receipt);
    const forget = () => void this.#unsettled.delete(receipt);
    receipt.then(forget, forget);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    this.#fill();
    return receipt;
  }

  async settle(): Promise<void> {
    await Promise.allSettled([...this.#unsettled]);
  }

  /** Lets queued messages into the window, first come first served. */
  #fill(): void {
    for (const next of this.#queue) {
      if (!this.#credits.admits(next.bytes)) return;
      this.#queue.delete(next);
      this.#credits.take(next.bytes);
      this.#tokens += 1;
      const token = this.#tokens.toString(36);
      this.#sent.set(token, next);
      this.#send(token, next);
    }
  }

  #send(token: string, entry: Entry): void {
    // Without a connection it would only lie in a buffer that the client empties; the reconnect sends it.
    entry.dueAt = performance.now() + this.#timeoutMs;
    if (!this.#link.connected()) return;
    this.#link.send({
      subject: entry.subject,
      data: entry.data,
      options: { headers: entry.headers, reply: `${this.#inbox}.${token}` },
      failed: (error) => this.#settle(token, entry, toStreamError(error, `publish to ${entry.subject}`)),
    });
  }

  #onAnswer(error: Error | null, message: Msg): void {
    if (error !== null) {
      this.#failAll(toStreamError(error, 'receive the answers to publishing'));
      return;
    }
    const token = message.subject.slice(this.#inbox.length + 1);
    const entry = this.#sent.get(token);
    // A second answer to a message that was sent twice.
    if (entry === undefined) return;
    const answer =
      message.headers?.code === 503
        ? new StreamError('no-responders', `No stream takes ${entry.subject} at the moment`)
        : readPubAck(message.string(), entry.subject);
    if (!(answer instanceof StreamError) || answer.code !== 'no-responders') {
      this.#settle(token, entry, answer);
      return;
    }
    // No leader, or a server that is starting: it was not stored, and will be soon.
    entry.lastTrouble = answer;
    entry.dueAt = performance.now() + Math.min(1_000, 50 * 2 ** Math.min(entry.refusals, 8));
    entry.refusals += 1;
  }

  #tick(): void {
    const now = performance.now();
    for (const [token, entry] of this.#sent) {
      if (now >= entry.giveUpAt) this.#settle(token, entry, troubleOf(entry));
      else if (now >= entry.dueAt) this.#send(token, entry);
    }
    for (const entry of this.#queue) {
      if (now < entry.giveUpAt) continue;
      this.#queue.delete(entry);
      entry.reject(troubleOf(entry));
    }
    this.#restWhenIdle();
  }

  #settle(token: string, entry: Entry, result: PublishReceipt | StreamError): void {
    this.#sent.delete(token);
    this.#credits.give(entry.bytes);
    if (result instanceof StreamError) entry.reject(result);
    else entry.resolve(result);
    this.#fill();
    this.#restWhenIdle();
  }

  #restWhenIdle(): void {
    if (this.#sent.size > 0 || this.#queue.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sendAllAgain(): void {
    for (const [token, entry] of this.#sent) this.#send(token, entry);
  }

  #failAll(error: StreamError): void {
    const queued = [...this.#queue];
    this.#queue.clear();
    for (const entry of queued) entry.reject(error);
    for (const [token, entry] of this.#sent) this.#settle(token, entry, error);
  }
}

function troubleOf({ subject, lastTrouble }: Entry): StreamError {
  return lastTrouble ?? new StreamError('timeout', `NATS did not confirm the publish to ${subject} in time`);
}

/** Every message has an id: only then may it be sent twice. */
function publishHeaders(options: PublishOptions): Record<string, string> {
  const expected = options.expectedLastSubjectSequence;
  return {
    ...options.headers,
    'Nats-Msg-Id': options.msgId ?? nuid.next(),
    ...(expected === undefined ? {} : { 'Nats-Expected-Last-Subject-Sequence': String(expected) }),
  };
}

import { createHash } from 'node:crypto';
import type { Recipient, UndeliveredReason } from '../../actors/kernel/index.ts';

/** What the handler of a message shall do. */
export interface Plan {
  /** Each entry is one suspension: 0 for a turn, else milliseconds of virtual time. */
  readonly suspensions: readonly number[];
  /** How often handling it fails. */
  readonly failures: number;
  /** The handler never ends. */
  readonly hangs: boolean;
  /** Milliseconds after which the handler's actor sends itself a timer message. */
  readonly timerMs?: number;
  /** Milliseconds of a timer that is set when the handler begins and cancelled when it ends. */
  readonly guardMs?: number;
  /** Relays hand the message on to their child. */
  readonly forChild: boolean;
}

export interface TestMessage {
  readonly id: number;
  readonly sender: string;
  readonly seq: number;
  readonly plan: Plan;
  /** The value of the test's context key that the message was sent with. */
  readonly trace: string | undefined;
  readonly replyTo?: Recipient<number>;
}

interface Entry {
  readonly actor: string;
  readonly sender: string;
  readonly seq: number;
}

interface AskRecord {
  readonly id: number;
  readonly deadline: number;
  endedAt?: number;
}

/** What happened in one simulated run; the checks below read it. */
export class History {
  readonly accepted = new Map<number, 'tell' | 'offer'>();
  readonly sent = new Set<number>();
  readonly done = new Map<number, number>();
  readonly reported = new Map<number, UndeliveredReason[]>();
  readonly entries: Entry[] = [];
  readonly asks: AskRecord[] = [];
  /** Actors whose stop gave up on them. */
  readonly abandoned = new Set<string>();
  /** What was seen to be wrong at the moment it happened. */
  readonly problems: string[] = [];
  readonly contextProblems: string[] = [];
  /** Ids of messages whose guard was cancelled, and those of them that came all the same. */
  readonly cancelled = new Set<number>();
  readonly cameCancelled: string[] = [];
  readonly overlaps: string[] = [];
  readonly #running = new Map<string, string>();
  readonly #alive = new Set<string>();
  mostResidents = 0;
  stopped = false;

  /** A piece of an actor's behaviour begins; the returned function ends it. */
  begin(actor: string, what: string): () => void {
    const other = this.#running.get(actor);
    if (other !== undefined) this.overlaps.push(`${actor}: ${what} began while ${other} ran`);
    if (this.stopped) this.problems.push(`${actor}: ${what} began after the stop`);
    this.#running.set(actor, what);
    return () => this.#running.delete(actor);
  }

  running(prefix = ''): readonly string[] {
    return [...this.#running].filter(([actor]) => actor.startsWith(prefix)).map(([actor, what]) => `${actor}: ${what}`);
  }

  born(actor: string): void {
    this.#alive.add(actor);
    const keyed = [...this.#alive].filter((name) => name.startsWith('keyed/')).length;
    this.mostResidents = Math.max(this.mostResidents, keyed);
  }

  died(actor: string): void {
    if (!this.#alive.delete(actor)) this.problems.push(`${actor}: stopped() came twice, or without start()`);
    const children = this.alive(`${actor}/`);
    if (children.length > 0) this.problems.push(`${actor}: stopped before its children ${children}`);
  }

  alive(prefix = ''): readonly string[] {
    return [...this.#alive].filter((name) => name.startsWith(prefix) && !this.abandoned.has(name));
  }

  report(id: number, reason: UndeliveredReason): void {
    const reasons = this.reported.get(id);
    if (reasons === undefined) this.reported.set(id, [reason]);
    else reasons.push(reason);
  }

  get deliveryHash(): string {
    return createHash('sha1').update(JSON.stringify(this.entries)).digest('hex');
  }
}

/** Each message sent was either handled to its end once or reported once. */
export function lostMessages(history: History): readonly string[] {
  const wrong: string[] = [];
  for (const id of history.sent) {
    const done = history.done.get(id) ?? 0;
    const reports = history.reported.get(id) ?? [];
    if (done + reports.length !== 1) wrong.push(`message ${id}: handled ${done} times, reported [${reports}]`);
  }
  return wrong;
}

export function overlappingHandlers(history: History): readonly string[] {
  return history.overlaps;
}

/** Between one sender and one actor no message is handled, first or again, after a later one. */
export function reorderings(history: History): readonly string[] {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  for (const { actor, sender, seq } of history.entries) {
    const path = `${sender} to ${actor}`;
    const before = last.get(path) ?? 0;
    if (seq < before) wrong.push(`${path}: ${seq} after ${before}`);
    last.set(path, seq);
  }
  return wrong;
}

export function stopProblems(history: History): readonly string[] {
  const { problems } = history;
  return history.stopped ? problems : [...problems, 'the stop never ended'];
}

export function cancelledTimers(history: History): readonly string[] {
  return history.cameCancelled;
}

export function contextBleeding(history: History): readonly string[] {
  return history.contextProblems;
}

/** Every ask ends, at the latest at its deadline. */
export function overdueAsks(history: History): readonly string[] {
  return history.asks
    .filter((ask) => ask.endedAt === undefined || ask.endedAt > ask.deadline)
    .map((ask) => `ask ${ask.id}: due at ${ask.deadline}, ended at ${ask.endedAt ?? 'no time'}`);
}

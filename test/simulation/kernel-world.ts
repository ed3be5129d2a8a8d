import { type Context, context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api';
import type {
  ActorContext,
  ActorOptions,
  ActorRef,
  ActorSystem,
  Behavior,
  KeyedActors,
  Overflow,
  Random,
  Supervision,
} from '../../actors/kernel/index.ts';
import { createTestKit, seededRandom, type TestKit } from '../../actors/kernel/test-kit.ts';
import { History, type Plan, type TestMessage } from './kernel-history.ts';

/** The kernel under test: the product's, or a mutant of it. */
export type KernelModule = typeof import('../../actors/kernel/index.ts');

/** What a run is about; everything else is drawn from the seed. */
export interface Shape {
  /** Share of messages whose handling fails at least once. */
  readonly failing: number;
  /** Share of messages whose handler never ends. */
  readonly hanging: number;
  /** Actors are stopped while messages are on their way. */
  readonly stops: boolean;
  readonly asks: number;
}

const SENDERS = ['ann', 'bob', 'cat'];
const MESSAGES = 14;
const KEYS = 5;
export const MAX_RESIDENT = 2;
const STOP_WITHIN_MS = 5000;
const LONGEST_WORK_MS = 500;
const KEY = createContextKey('kernel world');

/** Runs one seeded world to its end: senders, plain, keyed and nested actors, failures, passivation, stops. */
export async function simulate(
  kernel: KernelModule,
  seed: number,
  shape: Shape,
  /** Seed of what is sent and how it is handled; `seed` itself then drives the order of turns only. */
  workload = seed,
): Promise<History> {
  const world = new World(kernel, seed, shape, workload);
  await world.run();
  return world.history;
}

class World {
  readonly history = new History();
  readonly #kernel: KernelModule;
  readonly #shape: Shape;
  readonly #kit: TestKit;
  readonly #draw: Random;
  readonly #system: ActorSystem;
  readonly #targets: ActorRef<TestMessage>[] = [];
  readonly #attempts = new Map<number, number>();
  #ids = 0;

  constructor(kernel: KernelModule, seed: number, shape: Shape, workload: number) {
    this.#kernel = kernel;
    this.#shape = shape;
    this.#kit = createTestKit({ seed });
    this.#draw = seededRandom(workload * 7919 + 1);
    const { clock, random, scheduler } = this.#kit;
    this.#system = kernel.createActorSystem({ clock, random, scheduler, throughput: this.#among([1, 2, 32]) });
    this.#system.events.subscribe((event) => {
      if (event.type === 'abandoned') this.history.abandoned.add(event.actor);
      if (event.type !== 'undelivered') return;
      const message = event.message;
      if (isTestMessage(message) && message.id > 0) this.history.report(message.id, event.reason);
    });
  }

  async run(): Promise<void> {
    context.with(marked('creator'), () => this.#createActors());
    const work = SENDERS.map((name) => context.with(marked(name), () => this.#sender(name)));
    if (this.#shape.stops) work.push(this.#stopper());
    const early = this.#shape.stops && this.#chance(0.5);
    // Senders may wait for an actor that hangs, so the stop does not wait for them for ever.
    const end = this.#kit.sleep(early ? this.#upTo(40) : LONGEST_WORK_MS);
    Promise.race([Promise.all(work), end]).then(() => this.#stopSystem());
    await this.#kit.run();
  }

  async #stopSystem(): Promise<void> {
    const begun = this.#kit.clock.now();
    await this.#system.stop(STOP_WITHIN_MS);
    const { history } = this;
    if (this.#kit.clock.now() > begun + STOP_WITHIN_MS) history.problems.push('the stop took longer than it may');
    for (const alive of history.alive()) history.problems.push(`${alive}: alive after the stop`);
    this.#checkNothingRuns('');
    history.stopped = true;
  }

  #checkNothingRuns(prefix: string): void {
    for (const running of this.history.running(prefix)) {
      const actor = running.slice(0, running.indexOf(':'));
      if (!this.history.abandoned.has(actor)) this.history.problems.push(`the stop ended while ${running} ran`);
    }
  }

  #createActors(): void {
    for (const name of ['one', 'two'])
      this.#targets.push(this.#system.spawn(this.#behavior(name), this.#options(name)));
    this.#targets.push(this.#system.spawn(this.#behavior('relay', true), this.#options('relay')));
    const keyed: KeyedActors<TestMessage> = this.#system.keyed('keyed', {
      ...this.#options('keyed'),
      behavior: (key) => this.#behavior(`keyed/${key}`),
      idleMs: 1 + this.#upTo(10),
      maxResident: MAX_RESIDENT,
    });
    for (let key = 0; key < KEYS; key += 1) this.#targets.push(keyed.refFor(`k${key}`));
  }

  #options(name: string): ActorOptions<TestMessage> & { readonly name: string } {
    const { restart } = this.#kernel;
    const overflow = this.#among<Overflow<TestMessage>>([
      'wait',
      'wait',
      'refuse',
      'drop-oldest',
      { coalesce: (msg) => msg.sender },
    ]);
    const supervision = this.#among<Supervision>([
      'stop',
      'resume',
      'escalate',
      restart({ minMs: 1, maxMs: 8, maxRestarts: 50 }),
      restart({ minMs: 0, maxMs: 0, maxRestarts: 50 }),
    ]);
    return {
      name,
      mailbox: { capacity: 1 + this.#upTo(6), overflow },
      supervision: this.#shape.failing > 0 ? supervision : 'stop',
      failedMessage: this.#chance(0.7) ? { redeliver: 1 + this.#upTo(2) } : 'report',
      stopTimeoutMs: 1000,
    };
  }

  #behavior(name: string, relays = false): Behavior<number, TestMessage> {
    const { history } = this;
    let child: ActorRef<TestMessage> | undefined;
    return {
      start: (ctx) => {
        const end = history.begin(name, 'start');
        this.#expectContext(`${name}: start`, undefined, ctx);
        history.born(name);
        if (relays)
          child = ctx.spawn(this.#behavior(`${name}/child`), { ...this.#options('child'), supervision: 'escalate' });
        return this.#through([this.#upTo(2)], () => undefined).then(() => {
          end();
          return 0;
        });
      },
      receive: (count, msg, ctx) => {
        const end = history.begin(name, `message ${msg.id}`);
        if (msg.id > 0) history.entries.push({ actor: name, sender: msg.sender, seq: msg.seq });
        if (msg.sender === GUARD && history.cancelled.has(msg.seq)) history.cameCancelled.push(`guard of ${msg.seq}`);
        const { guardMs } = msg.plan;
        const guard = guardMs === undefined ? undefined : ctx.after(guardMs, guardOf(msg));
        const check = () => this.#expectContext(`${name}: message ${msg.id}`, msg.trace, ctx);
        check();
        const finish = () => {
          end();
          guard?.cancel();
          if (guard !== undefined) history.cancelled.add(msg.id);
          this.#handle(msg, ctx, child);
          return count + 1;
        };
        if (msg.plan.hangs) return new Promise<number>(() => undefined);
        return msg.plan.suspensions.length === 0 ? finish() : this.#through(msg.plan.suspensions, check).then(finish);
      },
      stopped: async (_, ctx) => {
        const end = history.begin(name, 'stopped');
        this.#expectContext(`${name}: stopped`, undefined, ctx);
        if (!ctx.signal.aborted) history.problems.push(`${name}: stopped() without an abort of the signal`);
        await this.#through([this.#upTo(3)], () => undefined);
        history.died(name);
        end();
      },
    };
  }

  #handle(msg: TestMessage, ctx: ActorContext<TestMessage>, child: ActorRef<TestMessage> | undefined): void {
    const attempt = (this.#attempts.get(msg.id) ?? 0) + 1;
    if (msg.id > 0) this.#attempts.set(msg.id, attempt);
    if (msg.id > 0 && attempt <= msg.plan.failures) throw new Error(`message ${msg.id} fails, attempt ${attempt}`);
    if (msg.plan.timerMs !== undefined) ctx.after(msg.plan.timerMs, TIMER_MESSAGE);
    if (child !== undefined && msg.plan.forChild) {
      child.tell({ ...msg, plan: { ...msg.plan, failures: 0 } }, { trace: ctx.trace });
      return;
    }
    if (msg.id > 0) this.history.done.set(msg.id, (this.history.done.get(msg.id) ?? 0) + 1);
    if (msg.seq % 3 > 0) msg.replyTo?.tell(msg.id);
  }

  async #through(suspensions: readonly number[], check: () => void): Promise<void> {
    for (const ms of suspensions) {
      await (ms === 0 ? this.#kit.suspend() : this.#kit.sleep(ms));
      check();
    }
  }

  #expectContext(where: string, expected: string | undefined, ctx: ActorContext<TestMessage>): void {
    const seen = context.active().getValue(KEY);
    if (seen !== expected) this.history.contextProblems.push(`${where}: ran in the context of ${String(seen)}`);
    const carried = ctx.trace.getValue(KEY);
    if (carried !== expected) this.history.contextProblems.push(`${where}: carried the context of ${String(carried)}`);
  }

  async #sender(sender: string): Promise<void> {
    const { history } = this;
    for (let seq = 1; seq <= MESSAGES; seq += 1) {
      const target = this.#among(this.#targets);
      this.#ids += 1;
      const id = this.#ids;
      const trace = this.#chance(0.7) ? `message ${id}` : undefined;
      const msg: TestMessage = { id, sender, seq, plan: this.#plan(), trace };
      const meta = trace === undefined ? {} : { trace: marked(trace) };
      history.sent.add(id);
      const how = this.#draw();
      if (how < this.#shape.asks) {
        await this.#unless(this.#ask(target, msg, meta));
      } else if (how < 0.6) {
        if (!target.tell(msg, meta) && !history.reported.has(id))
          history.problems.push(`tell of ${id} refused unreported`);
      } else {
        await this.#unless(target.offer(msg, meta).catch(() => undefined));
      }
      if (this.#chance(0.6)) await this.#through([this.#upTo(6)], () => undefined);
    }
  }

  /** A sender waits for some of what it begins. */
  async #unless(begun: Promise<unknown>): Promise<void> {
    if (this.#chance(0.5)) await begun;
  }

  async #ask(target: ActorRef<TestMessage>, msg: TestMessage, meta: { readonly trace?: Context }): Promise<void> {
    const timeoutMs = 1 + this.#upTo(60);
    const record: History['asks'][number] = { id: msg.id, deadline: this.#kit.clock.now() + timeoutMs };
    this.history.asks.push(record);
    const answer = target.ask<number>((replyTo) => ({ ...msg, replyTo }), { ...meta, timeoutMs });
    await answer.catch(() => undefined);
    record.endedAt = this.#kit.clock.now();
  }

  async #stopper(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await this.#kit.sleep(this.#upTo(12));
      const target = this.#among(this.#targets);
      await target.stop();
      if (!target.name.startsWith('keyed/')) this.#checkNothingRuns(target.name);
    }
  }

  #plan(): Plan {
    const { failing, hanging } = this.#shape;
    const suspensions = Array.from({ length: this.#upTo(3) }, () => (this.#chance(0.5) ? 0 : this.#upTo(5)));
    const timer = this.#chance(0.1) ? { timerMs: this.#upTo(10) } : {};
    const guard = this.#chance(0.2) ? { guardMs: this.#upTo(6) } : {};
    const failures = this.#chance(failing) ? 1 + this.#upTo(2) : 0;
    return { suspensions, failures, hangs: this.#chance(hanging), forChild: this.#chance(0.5), ...timer, ...guard };
  }

  #chance(share: number): boolean {
    return this.#draw() < share;
  }

  /** A whole number from 0, below `bound`. */
  #upTo(bound: number): number {
    return Math.floor(this.#draw() * bound);
  }

  #among<T>(choices: readonly T[]): T {
    const choice = choices[this.#upTo(choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }
}

const TIMER_MESSAGE: TestMessage = {
  id: 0,
  sender: 'timer',
  seq: 0,
  plan: { suspensions: [], failures: 0, hangs: false, forChild: false },
  trace: undefined,
};

const GUARD = 'guard';

function guardOf({ id }: TestMessage): TestMessage {
  return { ...TIMER_MESSAGE, sender: GUARD, seq: id };
}

function marked(who: string): Context {
  return ROOT_CONTEXT.setValue(KEY, who);
}

function isTestMessage(value: unknown): value is TestMessage {
  return typeof value === 'object' && value !== null && 'id' in value && 'plan' in value;
}

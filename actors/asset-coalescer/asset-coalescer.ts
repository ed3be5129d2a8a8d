import type { CatalogueAnswer } from '../../src/domain/catalogue-reader.ts';
import type { ActorContext, Behavior } from '../kernel/behavior.ts';
import type { AssetWork, FieldResult } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { RecordAnswer } from '../lane/lane-ports.ts';
import { wholeTime } from '../lane/whole-time.ts';
import { type Round, recordedTraces } from '../outcome-recorder/record-round.ts';
import { type RecordedRound, recordTogether } from '../outcome-recorder/record-together.ts';
import { createAdmission } from './admission.ts';
import { admitSafely } from './admit-safely.ts';
import { askCatalogue } from './ask-catalogue.ts';
import { type AssetEntry, dueAt, hasWork } from './asset-entry.ts';
import { bothDeliveries } from './both-deliveries.ts';
import { acknowledge, closeRound, emptyOutcome } from './close-work.ts';
import type { CoalescerMessage, CoalescerOptions } from './coalescer-messages.ts';
import { newState, noteHolding, progressOf, type CoalescerState as State, tellHeld } from './coalescer-state.ts';
import { lookAgain, withoutHeld } from './held-fields.ts';
import { reloadAsset } from './load-assets.ts';
import { isCopied, unloaded } from './parked-state.ts';
import { createParking } from './parking.ts';
import { retryDelay } from './retry-schedule.ts';
import { answerSolo, stepSolo } from './solo.ts';
import { mayWrite, needsCatalogue, takeWork, writesOf } from './take-work.ts';

/** Reads of the catalogue under way at once. */
const READS_AT_ONCE = 8;

type Ctx = ActorContext<CoalescerMessage>;

/**
 * Holds the changes of a lane per asset, keeps the newest of each field, and gives work only when the dispatcher asks for it:
 * what arrives while a batch is written coalesces here. It alone touches the ledgers.
 */
export function assetCoalescer(options: CoalescerOptions): Behavior<State, CoalescerMessage> {
  const { identity, ports } = options;
  const { target } = identity;
  const { admit, loaded } = createAdmission(options, admitOne);
  const parking = createParking(options, { admit: admitOne, changed, finish });

  function admitOne(state: State, entry: AssetEntry, held: HeldChange, ctx: Ctx): void {
    const { sequence } = held.received;
    const now = wholeTime(ctx.clock);
    const present = entry.held.get(sequence);
    if (present !== undefined && present !== held) {
      // Delivered again although it is in hand: the one end serves both.
      entry.held.set(sequence, { ...present, delivery: bothDeliveries(present.delivery, held.delivery) });
      held.span.end();
      return;
    }
    if (isCopied(entry, sequence)) {
      parking.acknowledge(state, held);
      // It may be what made the asset resident, and nothing else may ever come for it.
      changed(state, entry);
      return;
    }
    admitSafely(entry, held, target, state.config, now);
    lookAgain(entry);
    for (const waiting of entry.ledger.waiting()) {
      // A change may be what a waiting undo takes back.
      const undo = entry.held.get(waiting.change.sequence);
      if (undo !== undefined && undo !== held) admitSafely(entry, undo, target, state.config, now);
    }
    if (entry.held.has(sequence)) state.held.set(sequence, held.receivedAt);
    else state.held.delete(sequence);
    changed(state, entry);
  }

  /** Something is new about the entry: it is measured, looked at in this turn, and again when it is due. */
  function changed(state: State, entry: AssetEntry): void {
    parking.noteParked(state, entry);
    state.cache.measure(entry);
    state.queue.look(entry);
    if (dueAt(entry) !== undefined) state.queue.delayed.set(entry.key, entry);
  }

  /** Sees to everything whose time has come. */
  function wake(state: State, ctx: Ctx): void {
    state.alarm = undefined;
    const now = wholeTime(ctx.clock);
    for (const entry of [...state.queue.delayed.values()]) {
      const due = dueAt(entry);
      if (due !== undefined && due > now) continue;
      state.queue.delayed.delete(entry.key);
      const { unrecorded } = entry;
      if (unrecorded !== undefined) {
        delete entry.unrecorded;
        record(state, entry, unrecorded.round, unrecorded.tries);
        continue;
      }
      if (entry.phase === 'reading') continue;
      if (entry.notBefore <= now) entry.notBefore = 0;
      for (const waiting of entry.ledger.waiting()) {
        const undo = entry.held.get(waiting.change.sequence);
        if (undo !== undefined) admitSafely(entry, undo, target, state.config, now);
      }
      changed(state, entry);
    }
  }

  /** One timer for all that is delayed. */
  function setAlarm(state: State, ctx: Ctx): void {
    const at = Math.min(state.queue.nextDue(), parking.lookAt(state, ctx));
    if (at === state.alarm?.at || (at === Number.POSITIVE_INFINITY && state.alarm === undefined)) return;
    state.alarm?.timer.cancel();
    state.alarm = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const timer = ctx.after(Math.max(1, at - ctx.clock.now()), { type: 'wake' });
    state.alarm = { at, timer };
  }

  /** Gives out what can be given: what needs no write at once, the rest as the dispatcher asks for it. */
  function pump(state: State, ctx: Ctx): void {
    if (state.phase === 'lost') return;
    const { queue } = state;
    for (const entry of queue.take('ready')) {
      if (!isDue(state, entry, ctx)) continue;
      if (mayWrite(entry, target, state.config)) queue.writable.set(entry.key, entry);
      else if (needsCatalogue(entry, target, state.config, ports)) queue.doubtful.set(entry.key, entry);
      else finish(state, entry, work(state, entry, ctx), [], ctx);
    }
    while (state.phase === 'open' && state.demands.length > 0 && giveBatch(state, ctx)) state.demands.shift();
    for (const entry of queue.take('doubtful', () => state.phase === 'open' && state.reading < READS_AT_ONCE)) {
      if (isDue(state, entry, ctx)) readCatalogue(state, entry, ctx);
    }
  }

  /** What of the asset is open and not held back. */
  function work(state: State, entry: AssetEntry, ctx: Ctx, gone = false): AssetWork {
    const all = takeWork(entry, target, state.config, gone);
    const fields = withoutHeld(entry, all.fields, state.holds, wholeTime(ctx.clock));
    return fields === all.fields ? all : { ...all, fields };
  }

  function isDue(state: State, entry: AssetEntry, ctx: Ctx): boolean {
    if (entry.phase !== 'idle' || !hasWork(entry) || unloaded(entry).length > 0) return false;
    if (entry.notBefore <= wholeTime(ctx.clock)) return true;
    state.queue.delayed.set(entry.key, entry);
    return false;
  }

  /** One batch for one demand; false when there is nothing to write. */
  function giveBatch(state: State, ctx: Ctx): boolean {
    const works: AssetWork[] = [];
    let room = state.demands[0] ?? 0;
    for (const entry of state.queue.take('writable', () => room > 0)) {
      if (!isDue(state, entry, ctx)) continue;
      if (needsCatalogue(entry, target, state.config, ports)) {
        state.queue.doubtful.set(entry.key, entry);
        continue;
      }
      const taken = work(state, entry, ctx);
      const writes = writesOf(taken);
      if (writes > 0 && needsFence(entry, ctx)) {
        fence(state, entry, ctx);
        continue;
      }
      if (writes === 0) {
        finish(state, entry, taken, [], ctx);
        continue;
      }
      entry.phase = 'dispatched';
      state.dispatched.set(entry.key, taken);
      works.push(taken);
      room -= writes;
    }
    return works.length > 0 && options.renderer.tell({ type: 'work', works });
  }

  function needsFence(entry: AssetEntry, ctx: Ctx): boolean {
    return entry.outcomeEpoch !== identity.epoch && wholeTime(ctx.clock) < options.fenceUntil;
  }

  /** See `CoalescerOptions.fenceUntil`. */
  function fence(state: State, entry: AssetEntry, ctx: Ctx): void {
    const { subject, key, outcomeSequence: expectedSequence } = entry;
    const message = emptyOutcome(entry, identity, state.config.revision, wholeTime(ctx.clock));
    record(state, entry, { subject, key, expectedSequence, message, failed: [], traces: new Map() });
  }

  function readCatalogue(state: State, entry: AssetEntry, ctx: Ctx): void {
    const { catalogue } = ports;
    if (catalogue === undefined) return;
    entry.phase = 'reading';
    state.reading += 1;
    void askCatalogue(catalogue, entry)
      .then((answer) => ctx.self.offer({ type: 'catalogue', key: entry.key, answer }))
      .catch(() => undefined);
  }

  function catalogueAnswered(state: State, entry: AssetEntry, answer: CatalogueAnswer, ctx: Ctx): void {
    state.reading -= 1;
    entry.phase = 'idle';
    if (answer.kind === 'found') {
      entry.ledger.refresh(answer.snapshot, answer.serverTime);
      entry.catalogueAttempts = 0;
    } else if (answer.kind === 'gone') {
      finish(state, entry, work(state, entry, ctx, true), [], ctx);
    } else {
      entry.catalogueAttempts += 1;
      entry.notBefore = wholeTime(ctx.clock) + retryDelay(entry.catalogueAttempts, options.random);
    }
    for (const held of entry.arrived.splice(0)) admitOne(state, entry, held, ctx);
    changed(state, entry);
  }

  function finish(
    state: State,
    entry: AssetEntry,
    work: AssetWork,
    results: readonly FieldResult[],
    ctx: Ctx,
    parks = false,
  ): void {
    const closed = closeRound(entry, work, results, {
      identity,
      configRevision: state.config.revision,
      now: wholeTime(ctx.clock),
      random: options.random,
      ackFloor: ports.ackFloor?.() ?? 0,
      parks,
    });
    noteHolding(state, entry);
    // Something was released while the asset was at work.
    if (entry.heldUnder !== undefined && entry.heldUnder !== state.holds) lookAgain(entry);
    if (closed.message === undefined) {
      entry.phase = 'idle';
      changed(state, entry);
      return;
    }
    const round: Round = {
      subject: entry.subject,
      key: entry.key,
      expectedSequence: entry.outcomeSequence,
      message: closed.message,
      failed: closed.failed,
      traces: recordedTraces(closed.message, entry.held),
      ...(closed.previous === undefined ? {} : { previous: closed.previous }),
    };
    record(state, entry, round);
  }

  function record(state: State, entry: AssetEntry, round: Round, tries = 0): void {
    entry.phase = 'recording';
    state.record(round, tries);
  }

  async function recorded(
    state: State,
    entry: AssetEntry,
    { message }: Round,
    answer: RecordAnswer,
    ctx: Ctx,
  ): Promise<void> {
    if (answer.kind === 'lost') {
      state.phase = 'lost';
      options.onLost();
      return;
    }
    if (answer.kind === 'outdated') {
      await reloadAsset(entry, ports.store);
      entry.phase = 'idle';
      const changes = [...entry.held.values()].sort((a, b) => a.received.sequence - b.received.sequence);
      entry.held.clear();
      for (const held of changes) {
        entry.sent.add(held.received.sequence);
        admitOne(state, entry, held, ctx);
      }
    } else {
      entry.outcomeSequence = answer.sequence;
      entry.outcomeEpoch = identity.epoch;
      entry.phase = 'idle';
      acknowledge(entry, message.settles);
      parking.recorded(state, entry, message);
      for (const sequence of message.settles) state.held.delete(sequence);
    }
    changed(state, entry);
  }

  /** Storing it was given up for now. */
  function unrecorded(state: State, entry: AssetEntry, round: Round, tries: number, ctx: Ctx): void {
    entry.unrecorded = { round, tries, at: wholeTime(ctx.clock) + retryDelay(tries, options.random) };
    state.queue.delayed.set(entry.key, entry);
  }

  /** A drain ends when nothing is under way; what was not dispatched is given back by whoever asked for the drain. */
  function finishDrain(state: State): void {
    if (state.drained === undefined) return;
    for (const entry of state.cache.values()) if (entry.phase === 'dispatched' || entry.phase === 'recording') return;
    state.phase = 'closed';
    state.drained.tell({ returned: state.held.size });
    state.drained = undefined;
  }

  async function handle(state: State, message: CoalescerMessage, ctx: Ctx): Promise<void> {
    switch (message.type) {
      case 'changes':
        return admit(state, message.changes, ctx);
      case 'states':
        return loaded(state, message, ctx);
      case 'demand':
        state.demands.push(message.fields);
        return;
      case 'results':
        for (const [key, results] of message.results) {
          const entry = state.cache.peek(key);
          const work = state.dispatched.get(key);
          state.dispatched.delete(key);
          if (entry !== undefined && work !== undefined) finish(state, entry, work, results, ctx);
        }
        return;
      case 'returned':
        for (const key of message.keys) {
          const entry = state.cache.peek(key);
          const work = state.dispatched.get(key);
          if (entry === undefined || work === undefined) continue;
          state.dispatched.delete(key);
          for (const sequence of work.changes.keys()) entry.sent.add(sequence);
          entry.phase = 'idle';
          changed(state, entry);
        }
        return;
      case 'recorded':
        for (const { round, tries, answer } of message.ended) {
          const entry = state.cache.peek(round.key);
          if (entry === undefined) continue;
          if (answer !== undefined) await recorded(state, entry, round, answer, ctx);
          else unrecorded(state, entry, round, tries, ctx);
        }
        return;
      case 'catalogue': {
        const entry = state.cache.peek(message.key);
        if (entry !== undefined) catalogueAnswered(state, entry, message.answer, ctx);
        return;
      }
      case 'wake':
        wake(state, ctx);
        return;
      case 'quiesce':
      case 'alone':
      case 'resume':
        return admit(state, stepSolo(state, message), ctx);
      case 'list-parked':
      case 'parked-listed':
      case 'copied':
      case 'parked-loaded':
        parking.handle(state, message, ctx);
        return;
      case 'configure':
      case 'holds':
        if (message.type === 'configure') state.config = message.config;
        else state.holds = message.holds;
        state.lot.allDue(wholeTime(ctx.clock));
        state.queue.lookAtAll();
        for (const entry of state.holding.values()) if (lookAgain(entry)) changed(state, entry);
        return;
      case 'drain':
        if (state.phase === 'open') state.phase = 'draining';
        state.drained = message.replyTo;
    }
  }

  return {
    start(ctx) {
      parking.list(ctx);
      const tell = (ended: readonly RecordedRound[]) =>
        ctx.self.offer({ type: 'recorded', ended }).catch(() => undefined);
      return newState(options, recordTogether(ports, tell));
    },
    async receive(state, message, ctx) {
      state.now = wholeTime(ctx.clock);
      await handle(state, message, ctx);
      if (state.lot.size > 0) await parking.loadDue(state, ctx);
      pump(state, ctx);
      parking.parkWaiting(state, ctx);
      setAlarm(state, ctx);
      state.cache.evict();
      ports.observe.progress(progressOf(state));
      tellHeld(state, ports.observe);
      finishDrain(state);
      answerSolo(state);
      return state;
    },
    stopped(state) {
      for (const entry of state.cache.values())
        for (const held of [...entry.held.values(), ...entry.arrived]) held.span.end();
      for (const waiting of state.awaiting.values()) for (const held of waiting) held.span.end();
    },
  };
}

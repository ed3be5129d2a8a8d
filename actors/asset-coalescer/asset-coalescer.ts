import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import { createLedger } from '../../src/domain/asset-ledger.ts';
import type { CatalogueAnswer } from '../../src/domain/catalogue-reader.ts';
import { parseOutcomeMessage } from '../../src/domain/parse-outcome.ts';
import { outcomeSubject } from '../../src/domain/subjects.ts';
import type { ActorRef, Recipient } from '../kernel/actor-ref.ts';
import type { ActorContext, Behavior } from '../kernel/behavior.ts';
import type { AssetWork, FieldResult } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LanePorts, RecordAnswer } from '../lane/lane-ports.ts';
import { recordRound } from '../outcome-recorder/record-round.ts';
import { admitChange } from './admit-change.ts';
import { AssetCache } from './asset-cache.ts';
import { type AssetEntry, hasWork, newEntry } from './asset-entry.ts';
import { acknowledge, closeRound, type LaneIdentity } from './close-work.ts';
import { retryDelay } from './retry-schedule.ts';
import { mayWrite, needsCatalogue, takeWork, writesOf } from './take-work.ts';

export type CoalescerMessage =
  | { readonly type: 'changes'; readonly changes: readonly HeldChange[] }
  /** The dispatcher can take a batch of so many fields. */
  | { readonly type: 'demand'; readonly fields: number }
  | { readonly type: 'results'; readonly results: ReadonlyMap<AssetKey, readonly FieldResult[]> }
  /** The target failed as a whole: the work is open again. */
  | { readonly type: 'returned'; readonly keys: readonly AssetKey[] }
  | {
      readonly type: 'recorded';
      readonly key: AssetKey;
      readonly answer: RecordAnswer;
      readonly settles: readonly number[];
    }
  | { readonly type: 'catalogue'; readonly key: AssetKey; readonly answer: CatalogueAnswer }
  | { readonly type: 'wake' }
  | { readonly type: 'configure'; readonly config: CompiledConfig }
  | { readonly type: 'drain'; readonly replyTo: Recipient<DrainAnswer> };

/** How many changes were given back to the stream, undecided. */
export interface DrainAnswer {
  readonly returned: number;
}

export interface CoalescerOptions {
  readonly identity: LaneIdentity;
  readonly config: CompiledConfig;
  readonly ports: LanePorts;
  /** Bound of the resident assets' states, in bytes. */
  readonly cacheBytes: number;
  readonly renderer: { tell(msg: { readonly type: 'work'; readonly works: readonly AssetWork[] }): boolean };
  /** The lane was lost to a newer owner. */
  readonly onLost: () => void;
  readonly random: () => number;
}

interface State {
  config: CompiledConfig;
  readonly cache: AssetCache;
  /** Assets that may have work, in the order in which it came. */
  readonly ready: Map<AssetKey, AssetEntry>;
  readonly dispatched: Map<AssetKey, AssetWork>;
  /** Sequences held, oldest first, with the time at which intake accepted them (epoch milliseconds). */
  readonly held: Map<number, number>;
  /** Fields asked for by the dispatcher and not yet given, one number for each batch. */
  readonly demands: number[];
  wakeAt: number | undefined;
  draining: Recipient<DrainAnswer> | undefined;
  lost: boolean;
}

/**
 * Holds the changes of a lane per asset, keeps the newest of each field, and gives work only when the dispatcher asks for it:
 * what arrives while a batch is written coalesces here. It alone touches the ledgers.
 */
export function assetCoalescer(options: CoalescerOptions): Behavior<State, CoalescerMessage> {
  const { identity, ports } = options;

  async function admit(
    state: State,
    changes: readonly HeldChange[],
    ctx: ActorContext<CoalescerMessage>,
  ): Promise<void> {
    await load(state, changes);
    const now = ctx.clock.now();
    for (const held of changes) {
      const entry = state.cache.get(held.key);
      if (entry === undefined) continue;
      admitOne(state, entry, held, now, ctx);
      // A change may be what a waiting undo takes back.
      for (const waiting of entry.ledger.waiting()) {
        const undo = entry.held.get(waiting.change.sequence);
        if (undo !== undefined && undo !== held) admitOne(state, entry, undo, now, ctx);
      }
      state.cache.measure(entry);
      state.ready.set(entry.key, entry);
    }
  }

  function admitOne(
    state: State,
    entry: AssetEntry,
    held: HeldChange,
    now: number,
    ctx: ActorContext<CoalescerMessage>,
  ): void {
    const admitted = admitChange(entry, held, identity.target, state.config, now);
    if (admitted.kind === 'settled') {
      held.delivery.ack();
      held.span.end();
      return;
    }
    if (admitted.kind !== 'held') state.held.set(held.received.sequence, held.receivedAt);
    if (admitted.kind === 'waiting') wakeAt(state, admitted.until, ctx);
  }

  /** Fetches the states of assets that are not resident, all at once. */
  async function load(state: State, changes: readonly HeldChange[]): Promise<void> {
    const missing = new Map(changes.filter((held) => !state.cache.has(held.key)).map((held) => [held.key, held]));
    if (missing.size === 0) return;
    const subjects = new Map([...missing.values()].map((held) => [outcomeSubject(identity.target, held.key), held]));
    const stored = await ports.store.lastOutcomes([...subjects.keys()]);
    for (const [subject, held] of subjects) {
      const message = stored.get(subject);
      const outcome = message === undefined ? undefined : parseOutcomeMessage(message.data);
      const ledger = createLedger(held.asset, outcome?.state);
      state.cache.add(newEntry(held.asset, held.key, subject, ledger, message?.sequence ?? 0));
    }
  }

  function wakeAt(state: State, at: number, ctx: ActorContext<CoalescerMessage>): void {
    if (state.wakeAt !== undefined && state.wakeAt <= at) return;
    state.wakeAt = at;
    ctx.after(Math.max(1, at - ctx.clock.now()), { type: 'wake' });
  }

  function wake(state: State, ctx: ActorContext<CoalescerMessage>): void {
    state.wakeAt = undefined;
    const now = ctx.clock.now();
    for (const entry of state.cache.values()) {
      for (const waiting of entry.ledger.waiting()) {
        const held = entry.held.get(waiting.change.sequence);
        if (held === undefined) continue;
        if (waiting.until <= now) admitOne(state, entry, held, now, ctx);
        else wakeAt(state, waiting.until, ctx);
      }
      if (hasWork(entry)) state.ready.set(entry.key, entry);
    }
  }

  /** Gives out what can be given: as many writes as the dispatcher asked for, and on the way what needs no write. */
  function pump(state: State, ctx: ActorContext<CoalescerMessage>): void {
    if (state.lost) return;
    const now = ctx.clock.now();
    const batch: AssetWork[] = [];
    let room = state.draining === undefined ? (state.demands[0] ?? 0) : 0;
    for (const entry of state.ready.values()) {
      if (entry.phase !== 'idle' || !hasWork(entry)) {
        state.ready.delete(entry.key);
        continue;
      }
      if (room <= 0 && mayWrite(entry, identity.target, state.config)) continue;
      state.ready.delete(entry.key);
      if (entry.notBefore > now) {
        wakeAt(state, entry.notBefore, ctx);
        continue;
      }
      if (needsCatalogue(entry, ports)) {
        readCatalogue(entry, ctx);
        continue;
      }
      const work = takeWork(entry, identity.target, state.config);
      delete entry.catalogue;
      const writes = writesOf(work);
      if (writes === 0) {
        finish(state, entry, work, [], ctx);
        continue;
      }
      entry.phase = 'dispatched';
      state.dispatched.set(entry.key, work);
      batch.push(work);
      room -= writes;
    }
    if (batch.length > 0) {
      state.demands.shift();
      options.renderer.tell({ type: 'work', works: batch });
    }
    const [oldest] = state.held.values();
    ports.observe.progress({ held: state.held.size, oldestHeldAt: oldest });
    finishDrain(state);
  }

  function readCatalogue(entry: AssetEntry, ctx: ActorContext<CoalescerMessage>): void {
    const { catalogue } = ports;
    if (catalogue === undefined) return;
    entry.phase = 'reading';
    const entityId = [...entry.held.values()].at(-1)?.received.event.entityId ?? '';
    void catalogue
      .read(entry.asset, entityId)
      .catch(
        (error: unknown): CatalogueAnswer => ({
          kind: 'unreachable',
          message: error instanceof Error ? error.name : 'failed',
        }),
      )
      .then((answer) => ctx.self.offer({ type: 'catalogue', key: entry.key, answer }))
      .catch(() => undefined);
  }

  function catalogueAnswered(
    state: State,
    entry: AssetEntry,
    answer: CatalogueAnswer,
    ctx: ActorContext<CoalescerMessage>,
  ): void {
    entry.phase = 'idle';
    state.ready.set(entry.key, entry);
    if (answer.kind === 'found') {
      entry.ledger.refresh(answer.snapshot, answer.serverTime);
      entry.catalogue = 'fresh';
      entry.catalogueAttempts = 0;
    } else if (answer.kind === 'gone') {
      entry.catalogue = 'gone';
      entry.catalogueAttempts = 0;
    } else {
      entry.catalogueAttempts += 1;
      entry.notBefore = ctx.clock.now() + retryDelay(entry.catalogueAttempts, options.random);
    }
  }

  function finish(
    state: State,
    entry: AssetEntry,
    work: AssetWork,
    results: readonly FieldResult[],
    ctx: ActorContext<CoalescerMessage>,
  ): void {
    const round = closeRound(entry, work, results, identity, state.config.revision, ctx.clock.now(), options.random);
    const { message } = round;
    if (message === undefined) {
      entry.phase = 'idle';
      state.ready.set(entry.key, entry);
      return;
    }
    entry.phase = 'recording';
    const { subject, key, outcomeSequence } = entry;
    void recordRound(
      {
        subject,
        key,
        expectedSequence: outcomeSequence,
        message,
        failed: round.outcome.failed,
        held: new Map(entry.held),
        ...(round.previous === undefined ? {} : { previous: round.previous }),
      },
      ports,
    )
      .then((answer) => ctx.self.offer({ type: 'recorded', key: entry.key, answer, settles: message.settles }))
      .catch(() => undefined);
  }

  function recorded(
    state: State,
    message: CoalescerMessage & { type: 'recorded' },
    ctx: ActorContext<CoalescerMessage>,
  ): void {
    const entry = state.cache.get(message.key);
    if (entry === undefined) return;
    if (message.answer.kind === 'lost') {
      state.lost = true;
      options.onLost();
      return;
    }
    entry.outcomeSequence = message.answer.sequence;
    entry.phase = 'idle';
    acknowledge(entry, message.settles, ctx.clock.now());
    for (const sequence of message.settles) state.held.delete(sequence);
    state.cache.measure(entry);
    if (hasWork(entry)) state.ready.set(entry.key, entry);
  }

  /** A drain ends when no work is under way; what was not dispatched goes back to the stream. */
  function finishDrain(state: State): void {
    if (state.draining === undefined) return;
    let returned = 0;
    for (const entry of state.cache.values()) if (entry.phase !== 'idle') return;
    for (const entry of state.cache.values()) {
      for (const held of entry.held.values()) {
        held.delivery.nak();
        held.span.end();
        returned += 1;
      }
      entry.held.clear();
    }
    state.draining.tell({ returned });
    state.draining = undefined;
  }

  return {
    start: () => ({
      config: options.config,
      cache: new AssetCache(options.cacheBytes),
      ready: new Map(),
      dispatched: new Map(),
      held: new Map(),
      demands: [],
      wakeAt: undefined,
      draining: undefined,
      lost: false,
    }),
    async receive(state, message, ctx) {
      switch (message.type) {
        case 'changes':
          await admit(state, message.changes, ctx);
          break;
        case 'demand':
          state.demands.push(message.fields);
          break;
        case 'results':
          for (const [key, results] of message.results) {
            const entry = state.cache.get(key);
            const work = state.dispatched.get(key);
            state.dispatched.delete(key);
            if (entry !== undefined && work !== undefined) finish(state, entry, work, results, ctx);
          }
          break;
        case 'returned':
          for (const key of message.keys) {
            state.dispatched.delete(key);
            const entry = state.cache.get(key);
            if (entry === undefined) continue;
            entry.phase = 'idle';
            state.ready.set(key, entry);
          }
          break;
        case 'recorded':
          recorded(state, message, ctx);
          break;
        case 'catalogue': {
          const entry = state.cache.get(message.key);
          if (entry !== undefined) catalogueAnswered(state, entry, message.answer, ctx);
          break;
        }
        case 'wake':
          wake(state, ctx);
          break;
        case 'configure':
          state.config = message.config;
          for (const entry of state.cache.values()) if (hasWork(entry)) state.ready.set(entry.key, entry);
          break;
        case 'drain':
          state.draining = message.replyTo;
          break;
      }
      pump(state, ctx);
      return state;
    },
  };
}

export type CoalescerRef = ActorRef<CoalescerMessage>;

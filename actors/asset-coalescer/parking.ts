import type { AssetKey } from '../../src/domain/asset.ts';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import { SparseMap } from '../../src/domain/sparse-map.ts';
import { holdDelivery } from '../channel-matcher/hold-delivery.ts';
import type { ActorContext } from '../kernel/behavior.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { ParkedChange } from '../lane/parking-store.ts';
import { wholeTime } from '../lane/whole-time.ts';
import type { AssetEntry } from './asset-entry.ts';
import { changesToPark, isWaiting } from './choose-parked.ts';
import type { CoalescerMessage, CoalescerOptions } from './coalescer-messages.ts';
import type { CoalescerState as State } from './coalescer-state.ts';
import { loadKnown } from './load-assets.ts';
import { isStoredAway, loadOf, unloaded } from './parked-state.ts';
import type { ParkedAsset } from './parking-lot.ts';
import { isRecordedWhole } from './partly-recorded.ts';
import { tellWhenDone } from './tell-when-done.ts';

/** How often the parked changes are listed anew: finds what an earlier owner left behind. */
const LIST_EVERY_MS = 10 * 60_000;
/** Soonest that what failed (copying, loading, listing) is tried again. */
const AGAIN_MS = 1_000;
/** How soon it is seen whether there is room now for what is due. */
const ROOM_AGAIN_MS = 100;
/** States of parked assets fetched in one turn at the most. */
const ASSETS_AT_ONCE = 64;

type ParkingMessage = Extract<CoalescerMessage, { type: 'list-parked' | 'parked-listed' | 'copied' | 'parked-loaded' }>;
type Ctx = ActorContext<CoalescerMessage>;

/** What parking needs of the coalescer. */
export interface CoalescerHands {
  admit(state: State, entry: AssetEntry, held: HeldChange, ctx: Ctx): void;
  changed(state: State, entry: AssetEntry): void;
  /** Records a round; `parks`: also one that decides nothing, after which the asset waits on. */
  finish(state: State, entry: AssetEntry, work: AssetWork, results: readonly [], ctx: Ctx, parks: boolean): void;
}

/**
 * Stores changes away whose assets have to wait, so that waiting assets hold at most half of the lane's credits, and loads them
 * again when they are due. `parked-state.ts` tells how; the steps of one asset:
 *
 * waiting → (over half) `parking`: copies are made → `recording`: its state names them → acknowledged, let go of → (due)
 * `loading`: copies are fetched → admitted, as if delivered again. What is loaded and has to wait once more is just let go of.
 */
export function createParking(options: CoalescerOptions, coalescer: CoalescerHands) {
  const { identity, ports } = options;
  const store = ports.store.parking;

  /** Asks which changes lie parked: at the start of an owner, when nothing of the owner before can come any more, now and then. */
  function list(ctx: Ctx): void {
    const startedAt = wholeTime(ctx.clock);
    tellWhenDone(
      ctx,
      store.listParked(),
      (found) => ({ type: 'parked-listed', found, startedAt }),
      () => ({ type: 'parked-listed', startedAt }),
    );
  }

  function listed(
    state: State,
    found: ReadonlyMap<AssetKey, readonly number[]> | undefined,
    startedAt: number,
    ctx: Ctx,
  ): void {
    const { lot } = state;
    const now = wholeTime(ctx.clock);
    const fenced = startedAt >= options.fenceUntil;
    const wait = found === undefined ? AGAIN_MS : fenced ? LIST_EVERY_MS : options.fenceUntil - now;
    ctx.after(Math.max(1, wait), { type: 'list-parked' });
    for (const [key, sequences] of found ?? []) {
      const known = lot.get(key) ?? unknownAsset(now, sequences.length);
      const resident = state.cache.peek(key);
      // Before the fence a late outcome of the owner before may still name a copy.
      if (resident === undefined) lot.set(key, { ...known, ...(fenced ? { listed: sequences } : {}) });
      else if (fenced) dropLeftOver(resident, sequences);
    }
  }

  function dropLeftOver(entry: AssetEntry, listed: readonly number[]): void {
    if (entry.phase === 'parking') return;
    drop(
      entry.key,
      listed.filter((sequence) => !entry.parked.has(sequence) && !entry.copies.has(sequence)),
    );
  }

  /** What cannot be removed now is found by a later listing. */
  function drop(key: AssetKey, sequences: readonly number[]): void {
    if (sequences.length > 0) void store.unpark(key, sequences).catch(() => undefined);
  }

  /** Brings waiting assets down to their half of the credits. Costs nothing while no asset waits. */
  function parkWaiting(state: State, ctx: Ctx): void {
    const { lot, queue } = state;
    if (queue.delayed.size === 0 || state.phase !== 'open' || queue.only !== undefined) return;
    const now = wholeTime(ctx.clock);
    for (const entry of queue.delayed.values()) if (isWaiting(entry, now) && isStoredAway(entry)) letGo(state, entry);
    if (lot.isFull || now < state.parkAgainAt) return;
    for (const { entry, sequences } of changesToPark(queue.delayed.values(), queue.retried.values(), now, lot.half)) {
      entry.phase = 'parking';
      const { key } = entry;
      tellWhenDone(
        ctx,
        store.park(key, sequences, entry.notBefore),
        (copied) => ({ type: 'copied', key, sequences: copied ? sequences : [] }),
        () => ({ type: 'copied', key, sequences: [] }),
      );
    }
  }

  /** Copies are made (none: it did not work, and the asset keeps its credits for now). */
  function copied(state: State, entry: AssetEntry, sequences: readonly number[], ctx: Ctx): void {
    const now = wholeTime(ctx.clock);
    entry.phase = 'idle';
    for (const sequence of sequences) entry.copies.add(sequence);
    if (sequences.length === 0) state.parkAgainAt = now + AGAIN_MS;
    if (sequences.length === 0 || state.phase !== 'open' || !isWaiting(entry, now)) {
      coalescer.changed(state, entry);
      return;
    }
    for (const sequence of entry.copies) {
      const held = entry.held.get(sequence);
      if (held !== undefined) entry.parked.set(sequence, held.bytes);
    }
    const nothing = { asset: entry.asset, key: entry.key, fields: [], changes: new Map() };
    coalescer.finish(state, entry, nothing, [], ctx, true);
  }

  /** An outcome of the asset is stored: what it names as parked can be acknowledged, the copies of what it settles can go. */
  function recorded(state: State, entry: AssetEntry, message: OutcomeMessage): void {
    if (entry.parked.size === 0 && entry.copies.size === 0) return;
    drop(
      entry.key,
      message.settles.filter((sequence) => entry.copies.delete(sequence)),
    );
    for (const sequence of Object.keys(message.state.parked ?? {})) entry.held.get(Number(sequence))?.delivery.ack();
    if (entry.parked.size === 0) state.lot.release(entry.key);
  }

  function letGo(state: State, entry: AssetEntry): void {
    const held = [...entry.held.values()];
    // What came while others of the asset were parked knows nothing of their attempts.
    const before = state.lot.get(entry.key);
    const times = [before?.oldestAt ?? Number.POSITIVE_INFINITY, ...held.map(({ receivedAt }) => receivedAt)];
    state.lot.set(entry.key, {
      attempts: entry.attempts,
      catalogueAttempts: entry.catalogueAttempts,
      holds: entry.holds,
      ...before,
      due: entry.notBefore,
      changes: entry.parked.size,
      oldestAt: times.reduce((oldest, time) => Math.min(oldest, time)),
    });
    state.lot.release(entry.key);
    for (const { delivery, span, received } of held) {
      // One that was delivered again while its copy was in hand is not acknowledged yet.
      delivery.ack();
      span.end();
      state.held.delete(received.sequence);
    }
    state.queue.forget(entry.key);
    state.holding.delete(entry.key);
    state.cache.drop(entry.key);
  }

  /** Loads what is due, as far as there is room. Costs nothing while nothing is parked. */
  async function loadDue(state: State, ctx: Ctx): Promise<void> {
    const { lot, cache } = state;
    const now = wholeTime(ctx.clock);
    if (lot.nextDue > now || state.phase !== 'open' || state.queue.only !== undefined) return;
    if (!lot.roomFor({ messages: 1, bytes: 0 })) return;
    const keys = lot.dueKeys(now).slice(0, ASSETS_AT_ONCE);
    await loadKnown(cache, keys, identity.target, ports.store);
    for (const key of keys) {
      const entry = cache.get(key);
      if (entry === undefined) {
        // There is no outcome of the asset, so nothing names these copies.
        drop(key, lot.get(key)?.listed ?? []);
        lot.delete(key);
      } else if (entry.phase === 'idle' && !load(state, entry, ctx)) return;
    }
  }

  /** False when there is no room. */
  function load(state: State, entry: AssetEntry, ctx: Ctx): boolean {
    const { lot } = state;
    const { key } = entry;
    const sequences = unloaded(entry);
    const room = loadOf(entry);
    if (sequences.length > 0 && !lot.roomFor(room)) return false;
    dropLeftOver(entry, lot.get(key)?.listed ?? []);
    if (sequences.length === 0) {
      lot.delete(key);
      coalescer.changed(state, entry);
      return true;
    }
    lot.hold(key, room);
    entry.phase = 'loading';
    tellWhenDone(
      ctx,
      store.parkedChanges(key, sequences),
      (changes) => ({ type: 'parked-loaded', key, sequences, changes }),
      () => ({ type: 'parked-loaded', key, sequences }),
    );
    return true;
  }

  function loaded(
    state: State,
    entry: AssetEntry,
    sequences: readonly number[],
    changes: ReadonlyMap<number, ParkedChange> | undefined,
    ctx: Ctx,
  ): void {
    const { lot } = state;
    const { key } = entry;
    const now = wholeTime(ctx.clock);
    entry.phase = 'idle';
    const parked = lot.get(key);
    if (changes === undefined || state.phase !== 'open') {
      lot.release(key);
      if (parked !== undefined) lot.set(key, { ...parked, due: now + AGAIN_MS });
      return;
    }
    lot.delete(key);
    for (const [field, attempts] of parked?.attempts ?? []) entry.attempts.set(field, attempts);
    entry.catalogueAttempts = parked?.catalogueAttempts ?? 0;
    for (const sequence of sequences) {
      entry.copies.add(sequence);
      const change = changes.get(sequence);
      const held = change === undefined ? undefined : holdDelivery(asDelivery(change), identity, state.config, now);
      if (held === undefined) noteGone(entry, sequence);
      else coalescer.admit(state, entry, held, ctx);
    }
    // As long as not all of them were there the asset counted as parked.
    lot.delete(key);
    entry.notBefore = 0;
    coalescer.changed(state, entry);
  }

  /** The asset is resident, and some of its changes lie parked: it waits until they are due. */
  function noteParked(state: State, entry: AssetEntry): void {
    const { lot } = state;
    // Another owner may have settled what was loaded: then no outcome of ours gives the room back.
    if (entry.parked.size === 0) lot.release(entry.key);
    if (entry.parked.size === 0 || unloaded(entry).length === 0) return;
    const parked = lot.get(entry.key) ?? unknownAsset(0, entry.parked.size);
    if (lot.get(entry.key) === undefined) lot.set(entry.key, parked);
    // Where it is due and there is no room, it is looked at again after a while.
    entry.notBefore = Math.max(entry.notBefore, parked.due, state.now + ROOM_AGAIN_MS);
  }

  /** Delivered again, although its copy lies parked: the acknowledgement was lost. */
  function acknowledge(state: State, { delivery, span, received }: HeldChange): void {
    delivery.ack();
    span.end();
    state.held.delete(received.sequence);
  }

  /** When the lot has to be looked at again: epoch milliseconds. What is due and has no room: soon. */
  function lookAt({ lot }: State, ctx: Ctx): number {
    if (lot.size === 0) return Number.POSITIVE_INFINITY;
    const now = wholeTime(ctx.clock);
    return lot.nextDue > now ? lot.nextDue : Math.ceil((now + 1) / ROOM_AGAIN_MS) * ROOM_AGAIN_MS;
  }

  function handle(state: State, message: ParkingMessage, ctx: Ctx): void {
    if (message.type === 'list-parked') {
      list(ctx);
      return;
    }
    if (message.type === 'parked-listed') {
      listed(state, message.found, message.startedAt, ctx);
      return;
    }
    const entry = state.cache.get(message.key);
    if (entry === undefined) return;
    if (message.type === 'copied') copied(state, entry, message.sequences, ctx);
    else loaded(state, entry, message.sequences, message.changes, ctx);
  }

  return { list, acknowledge, noteParked, parkWaiting, recorded, loadDue, lookAt, handle };
}

/** As little is known of what an earlier owner parked. */
function unknownAsset(due: number, changes: number): ParkedAsset {
  return { due, changes, attempts: new SparseMap(), catalogueAttempts: 0, holds: new SparseMap() };
}

/** Somebody has removed the copy, and the change is no longer in CHANGES either. */
function noteGone(entry: AssetEntry, sequence: number): void {
  entry.finished.add(sequence);
  if (isRecordedWhole(entry, sequence)) return;
  entry.items.push({
    sequence,
    eventId: '',
    object: '',
    status: 'skipped',
    reason: 'the change was stored away while its asset waited, and is gone from there and from CHANGES',
  });
}

/** A parked change as the stages see it: it is acknowledged already. */
function asDelivery({ sequence, streamTime, headers, data }: ParkedChange) {
  const nothing = (): void => undefined;
  const handles = { ack: nothing, nak: nothing };
  return { subject: '', sequence, deliveryCount: 2, streamTime, headers, data, pending: 0, ...handles };
}

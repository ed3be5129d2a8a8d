import { AdmittedChanges } from './admitted-changes.ts';
import type { Asset } from './asset.ts';
import type { ChangeEvent } from './change-event.ts';
import { type Field, type FieldKey, fieldKey } from './entity.ts';
import type { EventTouch } from './event-touch.ts';
import type { Admission, FieldValue, Ledger, OpenField, ReceivedChange, Settlement, Touch } from './ledger.ts';
import { CORRECT_RULES, type LedgerRules } from './ledger-rules.ts';
import { type FieldSituation, summarize } from './open-field.ts';
import { OpenTouches } from './open-touches.ts';
import { compareRanks, isAbove, RANK_STEP, type Rank, rankOf } from './rank.ts';
import { recentChange } from './recent-change.ts';
import { RecentChanges } from './recent-changes.ts';
import { SeenState } from './seen-state.ts';
import { SettledFields } from './settled-fields.ts';
import { SettledSequences } from './settled-sequences.ts';
import { differingDescriptions, emptyDescriptions, type KnownDescriptions } from './silent-descriptions.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotBytes } from './snapshot-size.ts';
import { SparseMap } from './sparse-map.ts';
import { stateBefore } from './state-before.ts';
import type { SettledField, SyncState } from './sync-state.ts';
import { isDeletion, touchesOf, touchesWhole } from './touches.ts';
import { isUndo, placeUndo, UNDO_WAIT_MS } from './undo.ts';
import { fieldValueHash, NO_VALUE } from './value-hash.ts';

export interface LedgerOptions {
  /** Wrong rules, for tests that show what each rule is for. */
  readonly rules?: Partial<LedgerRules>;
}

/** The ledger of one asset on one target, continued from the sync state of its last outcome. */
export function createLedger(asset: Asset, sync: SyncState | undefined, options: LedgerOptions = {}): Ledger {
  return new AssetLedger(asset, sync, { ...CORRECT_RULES, ...options.rules });
}

/** Sorts after the ids of events, which are hexadecimal. */
const CATALOGUE_ID = '~catalogue';
/** A hard deletion ranks this much above everything else of its entity, in milliseconds. */
const DELETION_STEP = 0.5;

const NONE: readonly never[] = [];

class AssetLedger implements Ledger {
  readonly asset: Asset;
  readonly #rules: LedgerRules;
  readonly #settled: SettledFields;
  readonly #recent: RecentChanges;
  readonly #held = new AdmittedChanges();
  readonly #waiting = new SparseMap<number, { readonly change: ReceivedChange; readonly until: number }>();
  readonly #open = new OpenTouches();
  readonly #seen: SeenState;
  /** Touches that a fresh read, taken after they came, answers for. */
  #answered: WeakSet<Touch> | undefined;
  readonly #settledSequences: SettledSequences;
  /** What `open` gave last; undefined when something has changed since. */
  #summaries: readonly OpenField[] | undefined;
  readonly #descriptions: KnownDescriptions = {
    isOpen: (key) => this.#open.has(key),
    isOnItsWay: (key) => this.#open.of(key).some((touch) => this.#held.isWritten(touch)),
    atHand: (field) => {
      const value = this.value(field);
      const hash = fieldValueHash(value);
      return value.known && hash !== undefined ? { rank: value.rank, hash } : undefined;
    },
    settled: (key) => this.#settled.get(key),
  };

  constructor(asset: Asset, sync: SyncState | undefined, rules: LedgerRules) {
    this.asset = asset;
    this.#rules = rules;
    this.#settled = new SettledFields(sync);
    this.#recent = new RecentChanges(sync?.recent ?? []);
    this.#settledSequences = new SettledSequences(sync);
    this.#seen = new SeenState(sync?.newestSeen, rules.emptyTags === 'trusted');
  }

  admit(change: ReceivedChange, now: number): Admission {
    try {
      return this.#admit(change, now);
    } finally {
      // Also when it went wrong half-way: whoever caught that looks at what has become open.
      this.#summaries = undefined;
    }
  }

  #admit(change: ReceivedChange, now: number): Admission {
    const { sequence, event } = change;
    if (this.#settledSequences.has(change)) return { kind: 'settled' };
    if (this.#held.has(sequence)) return { kind: 'held' };
    if (this.#isDuplicate(change)) return this.#admitDuplicate(change);
    if (isDeletion(event)) return this.#admitDeletion(change);
    const found = touchesOf(event, { columns: this.#seen.merged?.columns ?? [], rules: this.#rules });
    const undoTime = this.#undoTime(change, found, now);
    if (undoTime === 'wait') {
      const until = this.#waiting.get(sequence)?.until ?? now + UNDO_WAIT_MS;
      this.#waiting.set(sequence, { change, until });
      return { kind: 'waiting', until };
    }
    this.#waiting.delete(sequence);
    const touches = found.map((touch) => this.#ranked(change, touch, undoTime));
    const rank = touches.reduce(
      (top, touch) => (isAbove(touch.rank, top) ? touch.rank : top),
      this.#rank(change, undoTime ?? event.timestamp),
    );
    if (event.snapshot !== undefined) {
      touches.push(...differingDescriptions(change, event.snapshot, rank, touches, this.#descriptions));
      this.#seen.observe(event.snapshot, rank, sequence);
      if (touchesWhole(event)) this.#noteEmptyDescriptions(event.snapshot, rank);
    }
    this.#hold(change, rank, touches, undoTime === undefined ? undefined : found);
    if (touches.length > 0) this.#recent.add(recentChange(event, rank, touches), () => this.#openEvents());
    if (found.length === 0) this.#recent.see(event, rank.time);
    this.#moveUndos(sequence);
    return { kind: 'admitted', touches };
  }

  waiting(): readonly { readonly change: ReceivedChange; readonly until: number }[] {
    return this.#waiting.size === 0 ? NONE : [...this.#waiting.values()];
  }

  touch(sequence: number, field: Field, channel: string): Touch | undefined {
    const held = this.#held.get(sequence);
    if (held === undefined) return undefined;
    const key = fieldKey(field);
    const sees = (touch: Touch): boolean => touch.channel === undefined || touch.channel === channel;
    if (this.#open.of(key).some((touch) => touch.sequence === sequence && sees(touch))) return undefined;
    const touch: Touch = {
      sequence,
      eventId: held.change.event.id,
      field,
      key,
      rank: held.rank,
      reason: 'entered',
      removedTags: [],
      channel,
      doubts: isUndo(held.change.event) ? ['undo'] : [],
    };
    this.#summaries = undefined;
    held.open += 1;
    this.#open.add(touch);
    return touch;
  }

  hasOpen(): boolean {
    return this.#open.size > 0;
  }

  open(): readonly OpenField[] {
    this.#summaries ??= this.#summarizeAll();
    return this.#summaries;
  }

  #summarizeAll(): readonly OpenField[] {
    const fields: OpenField[] = [];
    for (const [key, touches] of this.#open.fields()) {
      const [first] = touches;
      if (first === undefined) continue;
      const summary = summarize(touches, this.#situation(key, first.field));
      if (summary !== undefined) fields.push(summary);
    }
    return fields;
  }

  value(field: Field): FieldValue {
    return this.#seen.value(field);
  }

  newest(): Snapshot | undefined {
    return this.#seen.merged;
  }

  before(sequence: number): Snapshot | undefined {
    const event = this.#held.get(sequence)?.change.event;
    const before = event === undefined ? undefined : stateBefore(event);
    return before === undefined ? undefined : this.#seen.withKnownAspects(before);
  }

  isOpen(sequence: number): boolean {
    return this.#waiting.has(sequence) || (this.#held.get(sequence)?.open ?? 0) > 0;
  }

  settle(closed: readonly Touch[], settlements: readonly Settlement[]): void {
    this.#summaries = undefined;
    const highest = new Map<FieldKey, Touch>();
    for (const touch of closed) {
      if (!this.#close(touch)) continue;
      const present = highest.get(touch.key);
      if (present === undefined || isAbove(touch.rank, present.rank)) highest.set(touch.key, touch);
    }
    for (const settlement of settlements) {
      const { key, ...rest } = settlement;
      const by = highest.get(key)?.eventId;
      this.#settled.settle(key, { ...rest, ...(by === undefined ? {} : { by }) });
      highest.delete(key);
    }
    // Whatever the outcome was, a decided touch moves its field up.
    for (const [key, touch] of highest) {
      const present = this.#settled.get(key);
      // It is settled as high already, and from which value is known there.
      if (present !== undefined && compareRanks(present.rank, touch.rank) >= 0) continue;
      const value = this.value(touch.field);
      const current = value.known && !this.#open.has(key) && compareRanks(value.rank, touch.rank) >= 0;
      const hash = current ? fieldValueHash(value) : undefined;
      this.#settled.settle(key, { rank: touch.rank, ...(hash === undefined ? {} : { hash }) });
    }
  }

  settled(key: FieldKey): SettledField | undefined {
    return this.#settled.get(key);
  }

  refresh(snapshot: Snapshot, time: number): void {
    this.#summaries = undefined;
    const touches = this.#open.all();
    const known = Math.max(this.#seen.newestSeen, ...touches.map((touch) => touch.rank.time));
    const asked = this.#rules.order === 'arrival' ? known : Math.max(time, snapshot.updatedAt);
    const rank: Rank = {
      time: asked > known ? asked : known + RANK_STEP,
      entityId: snapshot.entityId,
      version: snapshot.version,
      previous: 0,
      eventId: CATALOGUE_ID,
    };
    this.#seen.observe(snapshot, rank);
    this.#answered ??= new WeakSet();
    for (const touch of touches) this.#answered.add(touch);
  }

  markSettled(sequence: number): void {
    this.#summaries = undefined;
    this.#seen.release(sequence);
    this.#held.delete(sequence);
    this.#waiting.delete(sequence);
    this.#settledSequences.add(sequence);
  }

  ackedUpTo(sequence: number): void {
    this.#settledSequences.ackedUpTo(sequence);
  }

  toSyncState(): SyncState {
    const { newestSeen } = this.#seen;
    return {
      v: 1,
      ...this.#settled.toState(),
      ...(Number.isFinite(newestSeen) ? { newestSeen } : {}),
      recent: this.#recent.toState(this.#openEvents()),
      ...this.#settledSequences.toState(),
    };
  }

  bytes(): number {
    let bytes = 2_000 + 200 * this.#settled.size + 600 * this.#recent.size + 300 * this.#open.size + this.#seen.bytes;
    for (const { change } of this.#waiting.values()) {
      if (change.event.snapshot !== undefined) bytes += snapshotBytes(change.event.snapshot);
    }
    return bytes;
  }

  #isDuplicate({ sequence, event, replayOf }: ReceivedChange): boolean {
    if (event.id === replayOf) return false;
    if (this.#recent.has(event.id)) return true;
    return (
      this.#waiting.size > 0 &&
      [...this.#waiting].some(([other, waiting]) => other !== sequence && waiting.change.event.id === event.id)
    );
  }

  #admitDuplicate(change: ReceivedChange): Admission {
    const { event } = change;
    const found = touchesOf(event, { columns: this.#seen.merged?.columns ?? [], rules: this.#rules });
    this.#held.add({ change, open: 0, rank: this.#rank(change, event.timestamp) });
    return {
      kind: 'duplicate',
      by: 'duplicate',
      touches: found.map((touch) => this.#ranked(change, touch, undefined)),
    };
  }

  #admitDeletion(change: ReceivedChange): Admission {
    const { event, sequence } = change;
    const rank = this.#rank(change, event.eventType === 'entityDeleted' ? this.#endOf(event) : event.timestamp);
    const pending = this.#summarizeAll().filter((open) => compareRanks(open.winner.rank, rank) < 0);
    const touches = pending.map(
      ({ field, key }): Touch => ({
        sequence,
        eventId: rank.eventId,
        field,
        key,
        rank,
        reason: 'diff',
        removedTags: [],
        doubts: [],
      }),
    );
    this.#settled.raiseFloor(rank);
    // A hard deletion carries the entity as it was long before.
    if (event.snapshot?.deleted === true) this.#seen.observe(event.snapshot, rank, sequence);
    this.#hold(change, rank, touches);
    this.#recent.add(recentChange(event, rank, []), () => this.#openEvents());
    return { kind: 'deleted', touches };
  }

  /** A hard deletion carries an old timestamp, and is the end of its entity id: it ranks above all that is known of that id. */
  #endOf(event: ChangeEvent): number {
    const times = [event.timestamp];
    const note = (rank: Rank | undefined): void => {
      if (rank?.entityId === event.entityId) times.push(rank.time);
    };
    for (const touch of this.#open.all()) note(touch.rank);
    for (const key of this.#settled.keys()) note(this.#settled.get(key)?.rank);
    for (const recent of this.#recent.all()) if (recent.entityId === event.entityId) times.push(recent.time);
    note(this.#seen.rank);
    return Math.max(...times) + DELETION_STEP;
  }

  #undoTime(change: ReceivedChange, touches: readonly EventTouch[], now: number): number | undefined | 'wait' {
    const { event, sequence } = change;
    if (this.#rules.order === 'arrival' || this.#rules.undo === 'off' || !isUndo(event) || touches.length === 0)
      return undefined;
    const until = this.#waiting.get(sequence)?.until;
    return this.#placeUndo(change, touches, until === undefined || now < until);
  }

  #placeUndo(change: ReceivedChange, touches: readonly EventTouch[], mayWait: boolean): number | 'wait' {
    const settled = (key: FieldKey): SettledField | undefined => this.#settled.get(key);
    const place = placeUndo(change.event, touches, this.#recent.all(), change.streamTime, mayWait, settled);
    if (place.kind === 'wait') return 'wait';
    if (place.takesBack !== undefined) this.#recent.markUndone(place.takesBack.eventId, change.event.id);
    return place.time;
  }

  #rank(change: ReceivedChange, time: number): Rank {
    const at = this.#rules.order === 'arrival' ? change.sequence : time;
    return rankOf(change.event, at, change.replayOf ?? change.event.id);
  }

  #ranked(change: ReceivedChange, touch: EventTouch, undoTime: number | undefined): Touch {
    const { event, sequence } = change;
    const told = this.#rules.undo === 'off' ? 0 : (event.changedAt.get(touch.name ?? '') ?? 0);
    const rank = this.#rank(change, undoTime ?? Math.max(event.timestamp, told));
    const doubts = isUndo(event) ? [...touch.doubts, 'undo' as const] : touch.doubts;
    const { field, key, reason, removedTags } = touch;
    return { sequence, eventId: event.id, field, key, rank, reason, removedTags, doubts };
  }

  /** Not where a newer snapshot was seen before: that one may hold a text, and a settled field would no longer be in doubt. */
  #noteEmptyDescriptions(snapshot: Snapshot, rank: Rank): void {
    if (rank.time < this.#seen.newestSeen) return;
    for (const key of emptyDescriptions(snapshot, rank, this.#descriptions))
      this.#settled.settle(key, { rank, hash: NO_VALUE });
  }

  #situation(key: FieldKey, field: Field): FieldSituation {
    const settled = this.#settled.get(key);
    const { newestSeen } = this.#seen;
    const atHand = this.#seen.rank?.time ?? Number.NEGATIVE_INFINITY;
    return {
      value: this.value(field),
      settled,
      isDeletion: (touch) => this.#settled.isFloor(touch.rank),
      isAnswered: (touch) => this.#answered?.has(touch) ?? false,
      replayOf: (touch) => this.#held.get(touch.sequence)?.change.replayOf,
      unseenAbove: (time) => atHand < newestSeen && time < newestSeen,
    };
  }

  #hold(change: ReceivedChange, rank: Rank, touches: readonly Touch[], undo?: readonly EventTouch[]): void {
    const open = touches.length;
    this.#held.add(undo === undefined ? { change, open, rank } : { change, open, rank, undo });
    for (const touch of touches) this.#open.add(touch);
  }

  #close(touch: Touch): boolean {
    if (!this.#open.remove(touch)) return false;
    this.#held.closeOne(touch.sequence);
    return true;
  }

  /** A change has come that may be what an undecided undo takes back: every such undo finds its partner anew, oldest first. */
  #moveUndos(newcomer: number): void {
    const undos = this.#held.undos().filter(({ change }) => change.sequence !== newcomer);
    for (const { change } of undos) this.#recent.clearUndone(change.event.id);
    for (const held of undos.sort((a, b) => compareRanks(a.rank, b.rank))) {
      const { change, undo = [] } = held;
      const time = this.#placeUndo(change, undo, false);
      if (time === 'wait' || time === held.rank.time) continue;
      held.rank = { ...held.rank, time };
      this.#open.rerank(change.sequence, time);
      this.#recent.move(change.event.id, time);
      this.#seen.rerank(change.sequence, held.rank);
    }
  }

  /** Ids of the events that are not decided yet. */
  #openEvents(): ReadonlySet<string> {
    const ids = this.#held.openEvents();
    for (const waiting of this.#waiting.values()) ids.add(waiting.change.event.id);
    return ids;
  }
}

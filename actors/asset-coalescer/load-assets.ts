import type { AssetKey } from '../../src/domain/asset.ts';
import { createLedger } from '../../src/domain/asset-ledger.ts';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import { parseOutcomeMessage, parseSyncState } from '../../src/domain/parse-outcome.ts';
import { withPartial } from '../../src/domain/recorded-marks.ts';
import { outcomeSubject } from '../../src/domain/subjects.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LaneStore } from '../lane/lane-ports.ts';
import type { AssetCache } from './asset-cache.ts';
import { type AssetEntry, newEntry } from './asset-entry.ts';
import { takeParked } from './parked-state.ts';
import { takePartial } from './partly-recorded.ts';

/**
 * Makes the asset resident with its state out of `stored` (last outcome messages by subject), or with none. A promise only where the
 * state lies beside its message.
 */
export function makeResident(
  cache: AssetCache,
  { asset, key }: Pick<HeldChange, 'asset' | 'key'>,
  target: string,
  stored: ReadonlyMap<string, StoredMessage>,
  store: LaneStore,
): Promise<void> | undefined {
  const subject = outcomeSubject(target, key);
  return addWith(
    cache,
    newEntry(asset, key, subject, createLedger(asset, undefined)),
    lastOf(stored.get(subject)),
    store,
  );
}

/** Makes those of the assets resident that have an outcome, which tells what they are. */
export async function loadKnown(
  cache: AssetCache,
  keys: readonly AssetKey[],
  target: string,
  store: LaneStore,
): Promise<void> {
  const missing = new Map(keys.filter((key) => !cache.has(key)).map((key) => [outcomeSubject(target, key), key]));
  if (missing.size === 0) return;
  for (const [subject, stored] of await store.lastOutcomes([...missing.keys()])) {
    const key = missing.get(subject);
    const last = lastOf(stored);
    if (key === undefined || last?.message === undefined) continue;
    const { entityType, fqn } = last.message.asset;
    const known = { entityType, fqn };
    const loading = addWith(cache, newEntry(known, key, subject, createLedger(known, undefined)), last, store);
    if (loading !== undefined) await loading;
  }
}

/** An asset's last outcome. `message` undefined: it cannot be read. */
interface LastOutcome {
  readonly sequence: number;
  readonly message: OutcomeMessage | undefined;
}

function lastOf(stored: StoredMessage | undefined): LastOutcome | undefined {
  return stored === undefined ? undefined : { sequence: stored.sequence, message: parseOutcomeMessage(stored.data) };
}

/** Adds the entry with its state: a promise only where `takeState` needs one. */
function addWith(
  cache: AssetCache,
  entry: AssetEntry,
  last: LastOutcome | undefined,
  store: LaneStore,
): Promise<void> | undefined {
  const loading = takeState(entry, last, store);
  if (loading !== undefined) return loading.then(() => cache.add(entry));
  cache.add(entry);
  return undefined;
}

/** Begins the entry anew from its stored state, which somebody else has moved on; what it holds has to be admitted again. */
export async function reloadAsset(entry: AssetEntry, store: LaneStore): Promise<void> {
  const stored = await store.lastOutcomes([entry.subject]);
  entry.items.length = 0;
  entry.superseded.length = 0;
  entry.failed.length = 0;
  entry.holds.clear();
  entry.finished.clear();
  await takeState(entry, lastOf(stored.get(entry.subject)), store);
}

/** A promise only where the state lies beside its message: nearly all are there at once. */
function takeState(entry: AssetEntry, last: LastOutcome | undefined, store: LaneStore): Promise<void> | undefined {
  const message = last?.message;
  entry.outcomeSequence = last?.sequence ?? 0;
  entry.outcomeEpoch = message?.epoch ?? 0;
  if (message?.stateObject !== undefined) return wholeState(message, store).then((state) => beginWith(entry, state));
  beginWith(entry, message?.state);
  return undefined;
}

function beginWith(entry: AssetEntry, state: SyncState | undefined): void {
  entry.ledger = createLedger(entry.asset, state);
  takePartial(entry, state);
  takeParked(entry, state);
}

/** The state that was too large for its message. Were it lost, the part in the message still lets nothing go back. */
async function wholeState({ state, stateObject }: OutcomeMessage, store: LaneStore): Promise<SyncState> {
  const data = stateObject === undefined ? undefined : await store.fetchObject('state', stateObject);
  const whole = data === undefined ? undefined : parseSyncState(data);
  if (whole === undefined) return state;
  // A part of a split outcome tells in its message what it has recorded beyond the state before.
  return state.partial === undefined ? whole : withPartial(whole, state.partial);
}

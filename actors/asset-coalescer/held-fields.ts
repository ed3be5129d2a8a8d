import { type ChannelHolds, type HoldReason, holdOf } from '../../src/channels/channel-holds.ts';
import type { FieldWork } from '../lane/asset-work.ts';
import type { HeldFieldCount } from '../lane/lane-ports.ts';
import { writingSequence } from '../lane/staged-work.ts';
import type { AssetEntry } from './asset-entry.ts';

/** An asset that waits for a person is left alone so long, unless something comes for it or other things are held back. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** Parts the decided fields into those that may go on and those that are held back, which the entry then names. */
export function withoutHeld(
  entry: AssetEntry,
  fields: readonly FieldWork[],
  holds: ChannelHolds,
  now: number,
): readonly FieldWork[] {
  entry.heldUnder = holds;
  if (holds.paused.size === 0 && holds.guarded.size === 0) {
    if (entry.holds.size > 0) entry.holds.clear();
    return fields;
  }
  const before = new Map(entry.holds);
  entry.holds.clear();
  return fields.filter((field) => {
    const { write } = field;
    if (write === undefined) return true;
    const why = holdOf(holds, write.channel, write.operation, writingSequence(field));
    if (why === undefined) return true;
    noteHeld(entry, field, why, before.get(field.open.key)?.since ?? now);
    return false;
  });
}

export function noteHeld(entry: AssetEntry, { open, write }: FieldWork, why: HoldReason, since: number): void {
  const { sequence } = open.winner;
  entry.holds.set(open.key, { channel: write?.channel.name ?? '', why, sequence, since });
}

/** After a round: where everything that is still open waits for a person, the asset waits as one in a retry does. */
export function awaitRelease(entry: AssetEntry, now: number): void {
  const { holds } = entry;
  entry.awaitsRelease =
    holds.size > 0 && entry.ledger.open().every(({ key, winner }) => holds.get(key)?.sequence === winner.sequence);
  if (entry.awaitsRelease) entry.notBefore = now + LOOK_AGAIN_MS;
}

/** Something came for the asset, or what is held back has changed: it is decided anew. False: it does not wait for a release. */
export function lookAgain(entry: AssetEntry): boolean {
  if (!entry.awaitsRelease) return false;
  entry.awaitsRelease = false;
  entry.notBefore = 0;
  return true;
}

/** What of these assets is held back, by channel and reason. */
export function countHeld(entries: Iterable<Pick<AssetEntry, 'holds'>>): readonly HeldFieldCount[] {
  const counts = new Map<string, HeldFieldCount>();
  for (const entry of entries) {
    for (const { channel, why, since } of entry.holds.values()) {
      const known = counts.get(`${why} ${channel}`) ?? { channel, why, fields: 0, since };
      counts.set(`${why} ${channel}`, { ...known, fields: known.fields + 1, since: Math.min(known.since, since) });
    }
  }
  return [...counts.values()];
}

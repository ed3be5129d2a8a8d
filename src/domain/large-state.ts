import { higherRank, type Rank } from './rank.ts';
import type { SyncState } from './sync-state.ts';

/** A state above this size, in bytes, does not stand in the outcome message itself. */
const MAX_BYTES = 64 * 1024;
/** What the members of a rank or a change take besides their texts, with room to spare. */
const FRAME = 200;
/** The same of a field without its rank. */
const FIELD_FRAME = 80;

/** Whether the state has to lie beside the message. Measured only when it could be so. */
export function isLargeState(state: SyncState): boolean {
  return sizeAtMost(state) > MAX_BYTES && Buffer.byteLength(JSON.stringify(state)) > MAX_BYTES;
}

/** An upper bound that costs far less than making the text. */
function sizeAtMost({ base, floor, fields, recent, settled, partial }: SyncState): number {
  let bytes = rankAtMost(base) + rankAtMost(floor) + 20 * settled.length;
  for (const key in fields) {
    const field = fields[key];
    bytes += FIELD_FRAME + textAtMost(key) + rankAtMost(field?.rank);
    bytes += textAtMost(field?.hash) + textAtMost(field?.written) + textAtMost(field?.by);
    for (const tag of field?.tags ?? []) bytes += textAtMost(tag) + 3;
    for (const tag of field?.mayStand ?? []) bytes += textAtMost(tag) + 3;
  }
  for (const change of recent) {
    bytes += 2 * FRAME + 3 * (change.eventId.length + change.entityId.length + (change.undoneBy?.length ?? 0));
    for (const key in change.fields) bytes += 3 * key.length + 30;
  }
  for (const sequence in partial) for (const name of partial[sequence] ?? []) bytes += 3 * name.length + 30;
  return bytes;
}

/** Bytes of a text inside its quotes. Nearly all are of a few ASCII characters. */
function textAtMost(text = ''): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) bytes += 6;
    else if (code >= 0x80) bytes += 3;
    else bytes += code === QUOTE || code === BACKSLASH ? 2 : 1;
  }
  return bytes;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function rankAtMost(rank: Rank | undefined): number {
  return rank === undefined ? 0 : FRAME + 3 * (rank.entityId.length + rank.eventId.length);
}

/**
 * What of a large state stands in the message: enough that nothing goes back to an older value and nothing is settled twice even if
 * the whole were lost. Every field counts as settled at the newest rank of all; hashes and applied tags are absent.
 */
export function reducedState(state: SyncState): SyncState {
  const { fields, partial: _, recent, ...rest } = state;
  let { floor } = state;
  for (const rank of [state.base, ...Object.values(fields).map((field) => field.rank)])
    if (rank !== undefined) floor = higherRank(rank, floor);
  return {
    ...rest,
    fields: {},
    recent: recent.map((change) => ({ ...change, fields: {} })),
    ...(floor === undefined ? {} : { floor }),
  };
}

import type { OutcomeItem, OutcomeMessage, SupersededItem } from '../domain/outcome.ts';
import type { StateInMessage } from './outcome-objects.ts';

/** Outcome messages stay below 256 KB, with room for headers. */
const MAX_BYTES = 240 * 1024;

/** Whether an outcome that is this text needs no splitting. */
export function fitsInOne(text: string): boolean {
  return 3 * text.length <= MAX_BYTES || Buffer.byteLength(text) <= MAX_BYTES;
}

/**
 * The parts of an outcome message, each below the limit, to be published in turn. Only the last one names the settled sequences
 * and carries the new state; the others carry the state before, so that after a crash between them the changes are decided again.
 */
export function splitOutcome(
  message: OutcomeMessage,
  previous: StateInMessage,
  maxBytes = MAX_BYTES,
): readonly OutcomeMessage[] {
  if (sizeOf(message) <= maxBytes) return [message];
  const frame = sizeOf({ ...message, items: [], superseded: [] });
  const room = Math.max(maxBytes - frame, 4096);
  const parts: { items: OutcomeItem[]; superseded: SupersededItem[] }[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  const place = (size: number): { items: OutcomeItem[]; superseded: SupersededItem[] } => {
    const last = parts.at(-1);
    if (last !== undefined && bytes + size <= room) {
      bytes += size;
      return last;
    }
    const next = { items: [], superseded: [] };
    parts.push(next);
    bytes = size;
    return next;
  };
  for (const item of message.items) place(sizeOf(item) + 1).items.push(item);
  for (const item of message.superseded) place(sizeOf(item) + 1).superseded.push(item);
  const { stateObject: _, ...withoutState } = message;
  return parts.map((part, index) =>
    index === parts.length - 1
      ? { ...message, ...part }
      : { ...withoutState, ...part, id: `${message.id}.${index + 1}`, settles: [], ...previous },
  );
}

function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

import type { OutcomeItem, OutcomeMessage, SupersededItem } from '../domain/outcome.ts';
import { withRecorded } from '../domain/recorded-marks.ts';
import type { StateInMessage } from './outcome-objects.ts';

/** Outcome messages stay below 256 KB, with room for headers. */
const MAX_BYTES = 240 * 1024;
/** What a part's state says of one object of one change that is recorded, in bytes at the most. */
const MARK_BYTES = 32;

/** Whether an outcome that is this text needs no splitting. */
export function fitsInOne(text: string): boolean {
  return 3 * text.length <= MAX_BYTES || Buffer.byteLength(text) <= MAX_BYTES;
}

/** Everything that an outcome says of one object and one change: it is recorded all at once. */
interface Group {
  readonly items: OutcomeItem[];
  readonly superseded: SupersededItem[];
  bytes: number;
}

/**
 * The parts of an outcome message that does not fit in one, each below the limit, to be published in turn. Only the last one names the settled sequences
 * and carries the new state; the others carry the state before and what they and those before them have recorded, so that after
 * a crash between them the rest is decided again, and nothing is recorded twice.
 */
export function splitOutcome(
  message: OutcomeMessage,
  previous: StateInMessage,
  maxBytes = MAX_BYTES,
): readonly OutcomeMessage[] {
  const frame = { ...message, items: [], superseded: [] };
  const room = maxBytes - Math.max(sizeOf(frame), sizeOf({ ...frame, ...previous }));
  const parts: Group[][] = [];
  let bytes = 0;
  let marks = 0;
  for (const group of groupsOf(message)) {
    const last = parts.at(-1);
    bytes += group.bytes;
    if (last !== undefined && bytes + marks <= Math.max(room, 4096)) last.push(group);
    else {
      parts.push([group]);
      bytes = group.bytes;
    }
    marks += MARK_BYTES;
  }
  if (parts.length <= 1) return [message];
  const { stateObject: _, ...withoutState } = message;
  const recorded: (OutcomeItem | SupersededItem)[] = [];
  return parts.map((groups, index) => {
    const items = groups.flatMap((group) => group.items);
    const superseded = groups.flatMap((group) => group.superseded);
    if (index === parts.length - 1) return { ...message, items, superseded };
    recorded.push(...items, ...superseded);
    const state = withRecorded(previous.state, recorded);
    return { ...withoutState, ...previous, state, items, superseded, id: `${message.id}.${index + 1}`, settles: [] };
  });
}

/** In the order in which the items come. */
function groupsOf({ items, superseded }: OutcomeMessage): Iterable<Group> {
  const groups = new Map<string, Group>();
  const groupOf = (item: OutcomeItem | SupersededItem): Group => {
    const name = JSON.stringify([item.sequence, item.aspect, item.object]);
    const group = groups.get(name) ?? { items: [], superseded: [], bytes: 0 };
    groups.set(name, group);
    group.bytes += sizeOf(item) + 1;
    return group;
  };
  for (const item of items) groupOf(item).items.push(item);
  for (const item of superseded) groupOf(item).superseded.push(item);
  return groups.values();
}

function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
